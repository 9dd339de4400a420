import type { BrowserContext } from '@playwright/test';

interface PageError {
  status?: number;
  text: string;
}

/** Status of a response, or a part or pattern of the error's text. */
export type ExpectedError = number | string | RegExp;

/** Chromium's errors for a service that is down, depending on the state of the connection. */
export const SERVICE_DOWN =
  /ERR_(CONNECTION_(REFUSED|RESET|CLOSED|ABORTED)|EMPTY_RESPONSE|SOCKET_NOT_CONNECTED)/;

/** Errors of Chromium and Firefox for a request that the page itself ended. */
const ABORTED = ['net::ERR_ABORTED', 'NS_BINDING_ABORTED'];
/** Firefox also logs a font as an error whose request the page ended (NS_BINDING_ABORTED). */
const ABORTED_FONT = 'status=2152398850';

function matches(error: PageError, expected: ExpectedError): boolean {
  if (typeof expected === 'number') return error.status === expected;
  return typeof expected === 'string' ? error.text.includes(expected) : expected.test(error.text);
}

/** The directory reads the license of a user who has changed; by then the user may have been removed. */
const LICENSE_OF_REMOVED_USER = /^404: GET \S+\/userLicense\/\d+$/;

/** Lines of a stack that are reported. */
const MAX_STACK_LINES = 3;

/** Collects all errors in the pages of one test. */
export class PageErrors {
  readonly #errors: PageError[] = [];
  readonly #expected: ExpectedError[] = [];
  readonly #allowed: ExpectedError[] = [LICENSE_OF_REMOVED_USER];

  /** Declares errors that the test provokes; an expected error that does not occur is reported too. */
  expect(...expected: readonly ExpectedError[]): void {
    this.#expected.push(...expected);
  }

  /** Declares errors that may occur, depending on timing. */
  allow(...allowed: readonly ExpectedError[]): void {
    this.#allowed.push(...allowed);
  }

  /** Listens to all pages of a context: console, uncaught errors, CSP violations, failed requests. */
  async watch(context: BrowserContext): Promise<void> {
    await context.addInitScript(() => {
      document.addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI, sourceFile }) =>
        console.error(`CSP refuses ${effectiveDirective}: ${blockedURI} in ${sourceFile}`),
      );
    });
    context.on('console', (message) => {
      const text = message.text();
      // Logged for every status from 400 on; responses are handled below.
      if (message.type() !== 'error' || text.startsWith('Failed to load resource')) return;
      this.#errors.push({ text: `console: ${text}` });
    });
    context.on('weberror', (error) => {
      const stack = error.error().stack ?? '';
      if (!stack.includes(ABORTED_FONT)) this.#errors.push({ text: `uncaught: ${stack}` });
    });
    context.on('response', (response) => {
      const status = response.status();
      if (status >= 400)
        this.#errors.push({ status, text: `${status}: ${response.request().method()} ${response.url()}` });
    });
    context.on('requestfailed', (request) => {
      const why = request.failure()?.errorText ?? 'failed';
      // Leaving a page aborts its open requests.
      if (!ABORTED.includes(why)) this.#errors.push({ text: `${why}: ${request.method()} ${request.url()}` });
    });
  }

  /** Returns errors that were not expected and expected errors that did not occur. */
  getUnexpected(): string[] {
    const declared = [...this.#expected, ...this.#allowed];
    const unexpected = this.#errors.filter((error) => !declared.some((one) => matches(error, one)));
    const missing = this.#expected.filter((one) => !this.#errors.some((error) => matches(error, one)));
    const messages = [
      ...unexpected.map(({ text }) => text.split('\n').slice(0, MAX_STACK_LINES).join('\n')),
      ...missing.map((one) => `expected but did not happen: ${String(one)}`),
    ];
    return [...new Set(messages)];
  }
}
