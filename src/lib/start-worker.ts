import { CODE_IS_MISSING } from './missing-code.ts';

interface Policy {
  createScriptURL: (url: string) => string;
}

declare global {
  interface Window {
    /** Not in every browser. */
    trustedTypes?: { createPolicy: (name: string, rules: Policy) => Policy };
  }
}

const rules: Policy = {
  createScriptURL(url) {
    if (new URL(url, location.href).origin === location.origin) return url;
    throw new TypeError(`${url} is no script of this console`);
  },
};

let policy: Policy | undefined;

/**
 * Starts a worker of this build: `import url from './worker.ts?worker&url'`. The Content-Security-Policy takes no
 * plain text for a script (`require-trusted-types-for`) and knows this one policy (service/gateway/headers.ts); what
 * it makes is not a string, but goes only where one may stand.
 */
export function startWorker(url: string): Worker {
  policy ??= window.trustedTypes?.createPolicy('steward-worker', rules) ?? rules;
  return new Worker(policy.createScriptURL(url), { type: 'module' });
}

/**
 * Waits for answers of a worker no longer than it lives: one whose script is gone, because the console was renewed since
 * the page was opened, or that has died, would never answer.
 */
export function whileAlive(worker: Worker): <Answer>(answer: Promise<Answer>) => Promise<Answer> {
  const { promise: broken, reject } = Promise.withResolvers<never>();
  broken.catch(() => undefined);
  // What could not be fetched has no message.
  worker.addEventListener('error', ({ message }) => reject(new Error(message || CODE_IS_MISSING)));
  return (answer) => Promise.race([answer, broken]);
}
