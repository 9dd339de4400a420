import { CODE_MISSING_MESSAGE } from './code-missing.ts';

interface Policy {
  createScriptURL: (url: string) => string;
}

declare global {
  interface Window {
    /** Undefined in browsers without Trusted Types. */
    trustedTypes?: { createPolicy: (name: string, rules: Policy) => Policy };
  }
}

const rules: Policy = {
  createScriptURL(url) {
    if (new URL(url, location.href).origin === location.origin) return url;
    throw new TypeError(`${url} is not a script of this console`);
  },
};

let policy: Policy | undefined;

/**
 * Starts a worker of this build: `import url from './worker.ts?worker&url'`. The Content-Security-Policy requires
 * Trusted Types for script URLs (`require-trusted-types-for`) and allows this one policy (service/gateway/headers.ts).
 */
export function startWorker(url: string): Worker {
  policy ??= window.trustedTypes?.createPolicy('steward-worker', rules) ?? rules;
  return new Worker(policy.createScriptURL(url), { type: 'module' });
}

/**
 * Returns a function that rejects a pending answer when the worker fails. Without it, an answer of a worker that crashed
 * or whose script no longer exists, after an update of the console, would stay pending forever.
 */
export function rejectOnWorkerError(worker: Worker): <Answer>(answer: Promise<Answer>) => Promise<Answer> {
  const { promise: broken, reject } = Promise.withResolvers<never>();
  broken.catch(() => undefined);
  // The error of a script that could not be fetched has no message.
  worker.addEventListener('error', ({ message }) => reject(new Error(message || CODE_MISSING_MESSAGE)));
  return (answer) => Promise.race([answer, broken]);
}
