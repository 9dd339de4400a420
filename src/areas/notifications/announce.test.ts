import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { client } from '../../api/generated/client.gen.ts';
import { applySessionIdentity, clearSession } from '../../api/session-state.ts';
import { announceNewest } from './announce.ts';

let shown: string[] = [];
let newest: number[] = [];
const originalFetch = client.getConfig().fetch;

class ShownNotification extends EventTarget {
  static readonly permission = 'granted';

  constructor(title: string) {
    super();
    shown.push(title);
  }
}

const full = {
  getItem: () => null,
  setItem() {
    throw new DOMException('Full', 'QuotaExceededError');
  },
};

beforeEach(() => {
  shown = [];
  vi.stubGlobal('isSecureContext', true);
  vi.stubGlobal('Notification', ShownNotification);
  vi.stubGlobal('navigator', { locks: { request: (_: string, act: () => Promise<void>) => act() } });
  vi.stubGlobal('sessionStorage', full);
  vi.stubGlobal('localStorage', full);
  applySessionIdentity({ siteId: 1, userId: 2, reportId: undefined });
  client.setConfig({
    baseUrl: 'http://steward.test/console',
    fetch: async (input) =>
      Response.json(
        new Request(input).url.includes('settings')
          ? { jobs: { inBrowser: true } }
          : newest.map((id) => ({
              id,
              category: 'jobs',
              title: `Notification ${id}`,
              detail: '',
              path: '/',
            })),
      ),
  });
});
afterEach(() => {
  clearSession();
  client.setConfig({ fetch: originalFetch });
});

test('announces what is new once, also when the storage of the browser is full', async () => {
  newest = [3];
  await announceNewest(3);
  expect(shown).toEqual([]);
  newest = [5, 4, 3];
  await announceNewest(5);
  await announceNewest(5);
  expect(shown).toEqual(['Notification 4', 'Notification 5']);
});
