import type { BrowserContext } from '@playwright/test';

interface Fault {
  status?: number;
  text: string;
}

/** A status of an answer, or a part or pattern of the fault's text. */
export type Expected = number | string | RegExp;

/** What Chromium says of a service that is away: it depends on how far the connection had come. */
export const AWAY = /ERR_(CONNECTION_(REFUSED|RESET|CLOSED|ABORTED)|EMPTY_RESPONSE|SOCKET_NOT_CONNECTED)/;

function matches(fault: Fault, expected: Expected): boolean {
  if (typeof expected === 'number') return fault.status === expected;
  return typeof expected === 'string' ? fault.text.includes(expected) : expected.test(fault.text);
}

/** Of a stack, this much tells where it was. */
const LINES = 3;

/** Everything that went wrong in the pages of one test. */
export class Faults {
  readonly #found: Fault[] = [];
  readonly #expected: Expected[] = [];
  readonly #allowed: Expected[] = [];

  /** Says beforehand which failure the test provokes; one that then does not happen is a fault too. */
  expect(...expected: readonly Expected[]): void {
    this.#expected.push(...expected);
  }

  /** Says beforehand which failure may happen or not, as two tabs happen to meet. */
  allow(...allowed: readonly Expected[]): void {
    this.#allowed.push(...allowed);
  }

  /** Listens to all pages of the context: console, uncaught errors, CSP reports, failed requests. */
  async watch(context: BrowserContext): Promise<void> {
    await context.addInitScript(() => {
      document.addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI, sourceFile }) =>
        console.error(`CSP refuses ${effectiveDirective}: ${blockedURI} in ${sourceFile}`),
      );
    });
    context.on('console', (message) => {
      const text = message.text();
      // The browser says this of every answer from 400 on; the answer itself is judged below.
      if (message.type() !== 'error' || text.startsWith('Failed to load resource')) return;
      this.#found.push({ text: `console: ${text}` });
    });
    context.on('weberror', (error) => this.#found.push({ text: `uncaught: ${error.error().stack ?? ''}` }));
    context.on('response', (response) => {
      const status = response.status();
      if (status >= 400)
        this.#found.push({ status, text: `${status}: ${response.request().method()} ${response.url()}` });
    });
    context.on('requestfailed', (request) => {
      const why = request.failure()?.errorText ?? 'failed';
      // A page that is left takes its open requests with it.
      if (why !== 'net::ERR_ABORTED')
        this.#found.push({ text: `${why}: ${request.method()} ${request.url()}` });
    });
  }

  /** What no test expected, and what was expected in vain. */
  unexpected(): string[] {
    const known = [...this.#expected, ...this.#allowed];
    const loud = this.#found.filter((fault) => !known.some((one) => matches(fault, one)));
    const vain = this.#expected.filter((one) => !this.#found.some((fault) => matches(fault, one)));
    const said = [
      ...loud.map(({ text }) => text.split('\n').slice(0, LINES).join('\n')),
      ...vain.map((one) => `expected but did not happen: ${String(one)}`),
    ];
    return [...new Set(said)];
  }
}
