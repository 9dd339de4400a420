/**
 * Firefox over WebDriver BiDi: what Playwright needs there to run the tests that were written for Chromium. Each part names the limit of
 * the driver that it answers, and can be removed with it. Limits that skip a check:
 * - axe is not run: on pages with long lists its scan crashes the content process of Firefox ESR 153.
 * - Firefox reports no layout shifts, and Playwright's screenshots need an inline style that the page's policy refuses.
 * - The system's theme cannot be changed, so pages are visited in the light one.
 */
import { createRequire } from 'node:module';
import type { BrowserContext, Page } from '@playwright/test';

/** The WebSocket class of Playwright, as far as it is used here. */
interface PlaywrightSockets {
  ws: {
    prototype: {
      send: (this: unknown, data: unknown, ...rest: unknown[]) => void;
      emit: (this: unknown, event: string, data: unknown, ...rest: unknown[]) => boolean;
    };
  };
}

/**
 * Commands that Firefox ESR 153 does not have. Playwright sends them for every new context and would give up; they are replaced by a
 * command without effect. Reduced motion and the clipboard are allowed by preferences.
 */
const MISSING_COMMANDS = [
  /"method":"emulation\.setMediaFeaturesOverride"/,
  /"method":"permissions\.setPermission".*"name":"clipboard-(read|write)"/,
];
/** Events of downloads from a blob have no navigation, and Playwright passes on only those with an id. */
const UNNAMED_DOWNLOAD = /"method":"browsingContext\.download(WillBegin|End)".*"navigation":null/;

interface Message {
  id?: number;
  params: { url?: string };
}

/** Preferences of the profile. */
export const FIREFOX_PREFERENCES = {
  'ui.prefersReducedMotion': 1,
  // The clipboard is read and written without a permission.
  'dom.events.testing.asyncClipboard': true,
  // Suggestions of saved passwords and form entries would take the focus of the page.
  'signon.rememberSignons': false,
  'signon.autofillForms': false,
  'signon.generation.enabled': false,
  'browser.formfill.enable': false,
};

/** Whether a page is open in Firefox. */
export const isFirefox = (page: Page): boolean =>
  page.context().browser()?.browserType().name() === 'firefox';

function adaptCommand(data: unknown): unknown {
  if (typeof data !== 'string' || !MISSING_COMMANDS.some((command) => command.test(data))) return data;
  const { id } = JSON.parse(data) as Message;
  return JSON.stringify({ id, method: 'session.status', params: {} });
}

function adaptEvent(data: unknown): unknown {
  if (!Buffer.isBuffer(data)) return data;
  const text = data.toString();
  if (!UNNAMED_DOWNLOAD.test(text)) return data;
  const message = JSON.parse(text) as Message;
  // The address of a blob is unique.
  return Buffer.from(
    JSON.stringify({ ...message, params: { ...message.params, navigation: message.params.url } }),
  );
}

/** Adapts all messages between Playwright in this process and Firefox. */
export function adaptMessages(): void {
  const { ws } = createRequire(import.meta.url)('playwright-core/lib/utilsBundle') as PlaywrightSockets;
  const { send, emit } = ws.prototype;
  ws.prototype.send = function sendAdapted(data, ...rest) {
    send.call(this, adaptCommand(data), ...rest);
  };
  ws.prototype.emit = function emitAdapted(event, data, ...rest) {
    return emit.call(this, event, event === 'message' ? adaptEvent(data) : data, ...rest);
  };
}

/** Prepares the pages of a context. */
export async function adaptPages(context: BrowserContext): Promise<void> {
  await context.addInitScript(() => {
    // Playwright sets the value of a field by script, which React takes for its own change and ignores.
    Object.defineProperty(window, '__pw_bidiInsertText', {
      get: () => (text: string) => void document.execCommand('insertText', false, text),
      set() {
        // The function of Playwright.
      },
    });
    // The text of a message does not contain that of an error in it.
    const { error } = console;
    console.error = (...args: unknown[]) =>
      error(...args.map((one) => (one instanceof Error ? `${one.name}: ${one.message}` : one)));
  });
}
