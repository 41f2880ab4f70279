import type { Locator, Page } from 'playwright-core';

/** What a job took. */
export interface JobCost {
  readonly steps: number;
  readonly seconds: number;
}

/** Somebody who works with the console. Each click, each text and each key is a step. */
export interface Person {
  click(target: Locator): Promise<void>;
  type(field: Locator, text: string): Promise<void>;
  /** Types into whatever has the focus. */
  typeOn(text: string): Promise<void>;
  press(key: string): Promise<void>;
  /** What it took since the last call, or since the start. */
  finishJob(): JobCost;
}

export function createPerson(page: Page): Person {
  let steps = 0;
  let startedAtMs = Date.now();
  const doStep = async (act: Promise<unknown>) => {
    steps += 1;
    await act;
  };
  return {
    click: (target) => doStep(target.click()),
    type: (field, text) => doStep(field.fill(text)),
    typeOn: (text) => doStep(page.keyboard.type(text)),
    press: (key) => doStep(page.keyboard.press(key)),
    finishJob: () => {
      const cost = { steps, seconds: Math.round((Date.now() - startedAtMs) / 100) / 10 };
      steps = 0;
      startedAtMs = Date.now();
      return cost;
    },
  };
}
