/** For setting up a whole service with everything the corpus names, on a machine that may be busy. */
export const setUpTimeoutMs = 60_000;
