/**
 * WebKit: signs in with the form and visits every route at both widths. Each page is complete, logs no error, and fits the window.
 * `npm run test:webkit` runs it.
 */
import type { APIRequestContext } from '@playwright/test';
import { findWebKit } from '../../scripts/testing/browsers.ts';
import { ENTER, waitFor, WebKit } from '../support/browsers/webkit.ts';
import { ada } from '../support/data/people.ts';
import {
  AREA_GROUPS,
  areParametersComplete,
  createParameters,
  fillPath,
  getPaths,
  SIGNED_OUT_PATHS,
} from '../support/routes.ts';
import { expect, test as base } from '../support/test.ts';

const test = base.extend<{ webKit: WebKit }>({
  // oxlint-disable-next-line no-empty-pattern -- Playwright reads the fixtures it needs from this pattern
  webKit: async ({}, provide) => {
    const programs = findWebKit();
    if (!programs) throw new Error('No WebKit is installed');
    const webKit = await WebKit.start(programs);
    await provide(webKit);
    await webKit.stop();
  },
});
test.use({ installation: { sample: true, administrator: ada } });

const WINDOW_HEIGHT = 800;
/** A desktop, and the layout of a phone: the window of WebKitGTK's browser cannot be narrower than 447 px. */
const WINDOW_WIDTHS = [1280, 450];

/** Parts of the console's own window. */
interface CheckedWindow extends Window {
  /** Errors since they were read last. */
  pageErrors?: string[];
}

/** Collects errors of the document from now on: uncaught ones, those of the console, and violations of the policy. */
const observeErrors = (webKit: WebKit) =>
  webKit.run(() => {
    const errors: string[] = [];
    (window as CheckedWindow).pageErrors = errors;
    addEventListener('error', ({ message }) => errors.push(message));
    addEventListener('unhandledrejection', ({ reason }) => errors.push(String(reason)));
    document.addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI }) =>
      errors.push(`CSP refuses ${effectiveDirective}: ${blockedURI}`),
    );
    const { error } = console;
    console.error = (...args: unknown[]) => {
      errors.push(args.map(String).join(' '));
      error(...args);
    };
  });

const takeErrors = (webKit: WebKit) =>
  webKit.run(() => (window as CheckedWindow).pageErrors?.splice(0) ?? ['Errors were not observed']);

/** Waits until the page or the panel over it is there with its content. */
async function waitForContent(webKit: WebKit, path: string): Promise<void> {
  await waitFor(
    () =>
      webKit
        .run(() => {
          // oxlint-disable-next-line unicorn/consistent-function-scoping -- runs in the page
          const isVisible = (element: Element) => element.checkVisibility();
          const hasContent = [...document.querySelectorAll('h1, [role=dialog]')].some(isVisible);
          const isLoading = [...document.querySelectorAll('.skel')].some(isVisible);
          return hasContent && !isLoading ? true : undefined;
        })
        .then((isThere) => isThere ?? undefined),
    `${path} has its content`,
  );
}

/** Opens a path without loading the document again. */
async function followPath(webKit: WebKit, path: string): Promise<void> {
  await webKit.run((to) => history.pushState({}, '', to), path);
  await waitFor(
    () =>
      webKit
        .run(() => {
          const router = Reflect.get(globalThis, '__TSR_ROUTER__') as {
            stores: {
              status: { get(): string };
              resolvedLocation: { get(): { publicHref: string } | undefined };
            };
          };
          const { pathname, search, hash } = location;
          const isThere =
            router.stores.status.get() === 'idle' &&
            router.stores.resolvedLocation.get()?.publicHref === pathname + search + hash;
          return isThere || undefined;
        })
        .then((isThere) => isThere ?? undefined),
    `${path} is open`,
  );
}

async function checkPage(webKit: WebKit, path: string): Promise<void> {
  for (const width of WINDOW_WIDTHS) {
    await webKit.setWidth(width, WINDOW_HEIGHT);
    await waitForContent(webKit, path);
    const overflow = await webKit.run(() =>
      Math.max(0, document.documentElement.scrollWidth - window.innerWidth),
    );
    expect.soft(overflow, `${path} at ${width} px is too wide by`).toBe(0);
  }
}

/** Errors that pages of things that do not exist log. */
const NOT_FOUND = /does not exist|ServiceError|404|400/;

async function signIn(webKit: WebKit, url: string): Promise<void> {
  await webKit.open(`${url}/sign-in`);
  await waitForContent(webKit, '/sign-in');
  await webKit.type('input[autocomplete~=username]', ada.email);
  await webKit.type('input[type=password]', `${ada.password}${ENTER}`);
  await waitFor(
    () => webKit.run(() => (location.pathname === '/' ? true : undefined)).then((is) => is ?? undefined),
    'the sign-in leads to the overview',
  );
  await waitForContent(webKit, '/');
}

test('pages without a session', async ({ webKit, service }) => {
  for (const path of SIGNED_OUT_PATHS) {
    await webKit.open(`${service.url}${path}`);
    await checkPage(webKit, path);
  }
});

for (const names of AREA_GROUPS)
  test(`pages of ${names.map((name) => `/${name}`).join(' ')}`, async ({
    webKit,
    service,
    calls,
    request,
  }) => {
    const paths = names.flatMap(getPaths);
    test.setTimeout(60_000 + paths.length * 10_000);
    void calls;
    const session: { request: APIRequestContext } = { request };
    const created = await createParameters(session, paths);
    await signIn(webKit, service.url);
    await observeErrors(webKit);
    for (const path of paths) {
      await followPath(webKit, fillPath(path, created));
      await checkPage(webKit, path);
      const errors = await takeErrors(webKit);
      const unexpected = areParametersComplete(names)
        ? errors
        : errors.filter((error) => !NOT_FOUND.test(error));
      expect.soft(unexpected, `${path} logs no error`).toEqual([]);
    }
  });
