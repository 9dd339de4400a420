import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import type { Locator, Page } from '@playwright/test';
import {
  expectNoAxe,
  expectNoAxeInBothThemes,
  expectRow,
  expectToast,
  rowAction,
} from '../support/actions.ts';
import { enter, send } from '../support/calls.ts';
import { savedBy } from '../support/files.ts';
import { ada } from '../support/people.ts';
import { expect, test } from '../support/test.ts';

test.use({ installation: { sample: true, administrator: ada } });

const list = (page: Page) => page.getByRole('grid', { name: 'Backups' });
const jobs = (page: Page) => page.getByRole('region', { name: 'Jobs' });
const tabs = (page: Page) => page.getByRole('navigation', { name: 'Backup', exact: true });
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

interface Backup {
  fileName: string;
  status: string;
  sha256: string;
  size: number;
}

/** Asks for a backup and waits until its file is there. */
async function makeBackup(page: Page): Promise<Backup> {
  const asked = (await send(page.request, 'POST', '/api/rest/v4/backups/request', {})) as { data: Backup };
  const now = async () => {
    const { data } = (await send(page.request, 'GET', '/api/rest/v4/backups')) as { data: Backup[] };
    return data.find(({ fileName }) => fileName === asked.data.fileName);
  };
  await expect.poll(async () => (await now())?.status, { timeout: 20_000 }).toBe('Ready');
  const ready = await now();
  if (!ready) throw new Error('The backup is gone');
  return ready;
}

/** A browser that cannot ask where to save, as most: the file takes the way through its own room. */
const cannotAsk = (page: Page) =>
  page.addInitScript(() => Object.assign(window, { showSaveFilePicker: undefined }));

test('asked for, followed to its end, downloaded by one press, proved, and written down who has it', async ({
  page,
}) => {
  await cannotAsk(page);
  await enter(page, ada, '/backups');
  await expect(page.getByText(/has no backup yet/)).toBeVisible();
  await page.keyboard.press('n');
  const panel = page.getByRole('dialog', { name: 'Request a backup' });
  await panel.getByText('Some entry types').click();
  await panel.getByRole('button', { name: 'Request the backup' }).click();
  await expect(panel.getByText('Choose at least one entry type')).toBeVisible();
  await panel.getByRole('button', { name: 'Select all' }).click();
  await panel.getByRole('checkbox', { name: /^Deals/ }).uncheck();
  await expectNoAxe(page);
  await panel.getByRole('button', { name: 'Request the backup' }).click();
  await expectToast(page, 'The backup was asked for');

  // Nobody reloads: the row and the messages come by themselves.
  const row = await expectRow(list(page), { State: 'Ready' });
  await expectToast(page, 'The backup is ready');
  await expectNoAxeInBothThemes(page);
  const { bytes, name } = await savedBy(page, () => row.getByRole('button', { name: /^Download / }).click());
  await expect(jobs(page)).toContainText('SHA-256 checked: it is the one of the list.');

  await row.getByRole('link', { name }).click();
  await expect(page.getByText(sha256(bytes))).toBeVisible();
  await expectNoAxeInBothThemes(page);
  await tabs(page).getByRole('link', { name: 'Contents' }).click();
  await expectRow(page.getByRole('grid', { name: 'Contents' }), { Member: /Companies/ });
  await expect(page.getByRole('grid', { name: 'Contents' })).not.toContainText('Deals');
  await tabs(page).getByRole('link', { name: 'Downloads' }).click();
  await expectRow(page.getByRole('grid', { name: 'Downloads' }), {
    'E-mail': ada.email,
    From: /127\.0\.0\.1|::1/,
    End: 'Complete',
  });
  await expectNoAxe(page);
});

interface Road {
  url: string;
  /** Breaks the connections that carry a backup. */
  cut: () => void;
  close: () => Promise<void>;
}

/** A way to the service that holds up the first two downloads after so many bytes, until somebody cuts them. */
async function bumpyRoad(target: string, after: number): Promise<Road> {
  const held: Socket[] = [];
  const open = new Set<Socket>();
  let holds = 2;
  const server = createServer((browser) => {
    const service = connect(Number(new URL(target).port), '127.0.0.1');
    let left = Number.POSITIVE_INFINITY;
    for (const [one, other] of [
      [browser, service],
      [service, browser],
    ] as const) {
      open.add(one);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        open.delete(one);
        other.destroy();
      });
    }
    browser.on('data', (part) => {
      if (holds > 0 && part.includes('/backups/downloads/')) {
        holds -= 1;
        left = after;
        held.push(browser);
      }
      service.write(part);
    });
    service.on('data', (part: Buffer) => {
      browser.write(part.subarray(0, Math.max(0, Math.min(part.length, left))));
      left -= part.length;
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (!address || typeof address === 'string') throw new Error('No port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    cut: () => held.forEach((one) => one.resetAndDestroy()),
    async close() {
      for (const one of open) one.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

test('a download that is cut off goes on where it was, paused and resumed as well, to the same hash', async ({
  page,
  service,
  expectFailure,
}) => {
  expectFailure(/ERR_(CONNECTION_RESET|INCOMPLETE|EMPTY|CONTENT_LENGTH)/);
  await cannotAsk(page);
  await enter(page, ada);
  const backup = await makeBackup(page);
  const road = await bumpyRoad(service.url, 20_000);
  try {
    await page.goto(`${road.url}/backups`);
    await page.getByRole('button', { name: `Download ${backup.fileName}` }).click();
    const far = (kilobytes: RegExp) => jobs(page).getByText(kilobytes);
    await expect(far(/^1\d kB of /)).toBeVisible();
    road.cut();
    await expect(far(/^3\d kB of /)).toBeVisible();
    // Elsewhere in the console it goes on.
    await page.getByRole('link', { name: 'Groups' }).click();
    await jobs(page).getByRole('button', { name: 'Pause' }).click();
    await expect(jobs(page).getByText(/paused$/)).toBeVisible();
    const file = await savedBy(page, () => jobs(page).getByRole('button', { name: 'Continue' }).click());
    expect(file.bytes.length).toBe(backup.size);
    expect(sha256(file.bytes)).toBe(backup.sha256);
    await expect(jobs(page)).toContainText('SHA-256 checked');
  } finally {
    await road.close();
  }
});

/** The row of a backup, by its file name. */
const rowOf = (page: Page, { fileName }: Backup): Promise<Locator> =>
  expectRow(list(page), { File: fileName });

test('two backups are compared, and one is deleted by typing its name', async ({ page, calls }) => {
  await enter(page, ada);
  const before = await makeBackup(page);
  await Promise.all(Array.from({ length: 20 }, (_, at) => calls.makeGroup(`Grown ${at}`, [])));
  const after = await makeBackup(page);
  await page.goto('/backups');
  await rowAction(await rowOf(page, after), 'Compare with the previous one');
  const table = page.getByRole('grid', { name: 'Differences' });
  await expectRow(table, { Member: 'groups.csv', Change: /times as much/, Difference: '+20' });
  await expect(page.getByText('1 member jumps from one backup to the next')).toBeVisible();
  await expectNoAxe(page);

  await tabs(page).getByRole('link', { name: 'Overview' }).click();
  await expect(page.getByText('groups.csv: 2.3 times as much')).toBeVisible();

  await page.goto('/backups');
  await rowAction(await rowOf(page, before), 'Delete…');
  const door = page.getByRole('alertdialog', { name: `Delete ${before.fileName}?` });
  await expect(door).toContainText('This cannot be undone');
  const sure = door.getByRole('button', { name: 'Delete the backup' });
  await expect(sure).toHaveAccessibleDescription(`Type “${before.fileName}” first`);
  await door.getByRole('textbox').fill(before.fileName);
  await expectNoAxe(page);
  await sure.click();
  await expectToast(page, `${before.fileName} was deleted`);
  await expect(list(page).getByText(before.fileName)).toHaveCount(0);
  await rowOf(page, after);
});
