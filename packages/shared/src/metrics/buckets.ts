/** Upper bounds of histogram buckets, in seconds, for a request. */
export const requestBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];

/** In seconds, for a store call. Few, because each of some 80 operations has a histogram of its own. */
export const callBuckets = [0.001, 0.005, 0.025, 0.1, 0.5, 2.5];

/** In seconds, for delays that are short as a rule and last minutes or hours when a part of the service is down. */
export const delayBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300, 1_800];

/** For numbers of items: up to the most that one job may hold. */
export const itemBuckets = [1, 4, 16, 64, 256, 1_024];
