import { signal } from '@preact/signals';

const nowMs = signal(Date.now());

const renewMs = 5_000;

/**
 * The time of this machine in milliseconds. A component that reads it is rendered again every 5 s while the page is
 * visible.
 */
export function readNowMs(): number {
  // What has just happened must not seem to lie in the future.
  return Math.max(nowMs.value, Date.now());
}

export function followClock(): void {
  const renew = () => {
    if (!document.hidden) nowMs.value = Date.now();
  };
  setInterval(renew, renewMs);
  document.addEventListener('visibilitychange', renew);
}
