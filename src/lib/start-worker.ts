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
