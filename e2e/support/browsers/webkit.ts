/**
 * WebKit over WebDriver (https://www.w3.org/TR/webdriver2/): the MiniBrowser of WebKitGTK, which Debian has with its driver. Playwright
 * drives only a WebKit of its own that is downloaded, and the few commands that the walk over all pages needs are requests.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import type { WebKitPrograms } from '../../../scripts/testing/browsers.ts';
import { findFreePort } from '../../../scripts/testing/free-port.ts';

/** Key of an element in the answers of a driver. */
const ELEMENT_KEY = 'element-6066-11e4-a52e-4f735466cecf';
/** Code of the key Enter. */
export const ENTER = '\uE007';

/** Language of the browser as in the other tests; a system without one would make it "C", which no page can format for. */
const LANGUAGE = { LANGUAGE: 'en_GB', LC_ALL: 'en_GB.UTF-8' };

const POLL_MS = 50;
const TIMEOUT_MS = 30_000;

/** Calls `check` until it answers something other than undefined. @throws Error with the description after 30 seconds */
export async function waitFor<T>(check: () => Promise<T | undefined>, description: string): Promise<T> {
  const end = performance.now() + TIMEOUT_MS;
  for (;;) {
    const result = await check();
    if (result !== undefined) return result;
    if (performance.now() > end) throw new Error(`Not within ${TIMEOUT_MS / 1000} s: ${description}`);
    await setTimeout(POLL_MS);
  }
}

/** A browser with one window. */
export class WebKit {
  readonly #process: ChildProcess;
  readonly #driverUrl: string;
  #sessionPath = '';

  private constructor(process: ChildProcess, driverUrl: string) {
    this.#process = process;
    this.#driverUrl = driverUrl;
  }

  /** Starts the driver and a browser. */
  static async start({ driver, browser }: WebKitPrograms): Promise<WebKit> {
    const port = await findFreePort();
    const webKit = new WebKit(
      spawn(driver, [`--port=${port}`], { stdio: 'ignore', env: { ...process.env, ...LANGUAGE } }),
      `http://127.0.0.1:${port}`,
    );
    await waitFor(
      () =>
        webKit.#send('GET', '/status').then(
          () => true,
          () => undefined,
        ),
      'the driver answers',
    );
    const options = { binary: browser, args: ['--automation'] };
    const { sessionId } = (await webKit.#send('POST', '/session', {
      capabilities: { alwaysMatch: { 'webkitgtk:browserOptions': options } },
    })) as { sessionId: string };
    webKit.#sessionPath = `/session/${sessionId}`;
    return webKit;
  }

  async #send(method: 'GET' | 'POST' | 'DELETE', path: string, body?: object): Promise<unknown> {
    const response = await fetch(`${this.#driverUrl}${this.#sessionPath}${path}`, {
      method,
      ...(body && { body: JSON.stringify(body) }),
    });
    const { value } = (await response.json()) as { value: unknown };
    if (!response.ok) throw new Error(`${method} ${path}: ${JSON.stringify(value)}`);
    return value;
  }

  /** Loads a document. */
  async open(url: string): Promise<void> {
    await this.#send('POST', '/url', { url });
  }

  /** Runs a function in the page, which must not use anything around it. @returns its result as JSON */
  async run<Arguments extends readonly unknown[], Result>(
    work: (...args: Arguments) => Result,
    ...args: Arguments
  ): Promise<Result> {
    const script = `return (${work.toString()})(...arguments)`;
    return (await this.#send('POST', '/execute/sync', { script, args })) as Result;
  }

  /** Types a text or keys into the element of the selector. */
  async type(selector: string, text: string): Promise<void> {
    const element = (await this.#send('POST', '/element', {
      using: 'css selector',
      value: selector,
    })) as Record<string, string>;
    await this.#send('POST', `/element/${element[ELEMENT_KEY]}/value`, { text });
  }

  /** Makes the window as wide as this, in CSS pixels; it has no frame. */
  async setWidth(width: number, height: number): Promise<void> {
    await this.#send('POST', '/window/rect', { width, height });
    await waitFor(
      async () => ((await this.run(() => window.innerWidth)) === width ? true : undefined),
      `the window is ${width} px wide`,
    );
  }

  /** Closes the browser and ends the driver. */
  async stop(): Promise<void> {
    if (this.#sessionPath !== '') await this.#send('DELETE', '').catch(() => {});
    this.#process.kill();
    if (this.#process.exitCode === null && this.#process.signalCode === null)
      await once(this.#process, 'exit');
  }
}
