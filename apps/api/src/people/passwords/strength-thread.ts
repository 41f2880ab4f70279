import { parentPort } from 'node:worker_threads';
import { ZxcvbnFactory } from '@zxcvbn-ts/core';
import { adjacencyGraphs, dictionary as commonDictionary } from '@zxcvbn-ts/language-common';
import { dictionary as englishDictionary } from '@zxcvbn-ts/language-en';
import type { StrengthRequest } from './estimate-strength.ts';

/** The estimate of a longer text takes up to a second. A password whose first 32 characters are strong is strong. */
const estimatedLength = 32;

const estimator = new ZxcvbnFactory({
  dictionary: { ...commonDictionary, ...englishDictionary },
  graphs: adjacencyGraphs,
  maxLength: estimatedLength,
});

parentPort?.on('message', ({ password, words }: StrengthRequest) => {
  parentPort?.postMessage(estimator.check(password, [...words]).score);
});
