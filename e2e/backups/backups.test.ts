import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import type { Locator, Page } from '@playwright/test';
import {
  expectAccessible,
  expectAccessibleInBothThemes,
  expectRow,
  expectToast,
  chooseRowAction,
} from '../support/actions.ts';
import { openAs, sendRequest } from '../support/calls.ts';
import { downloadBytes } from '../support/data/files.ts';
import { ada } from '../support/data/people.ts';
import { countSteps, type StepCount } from '../support/steps.ts';
import { expect, test } from '../support/test.ts';

test.use({ installation: { sample: true, administrator: ada } });

const backupList = (page: Page) => page.getByRole('grid', { name: 'Backups' });
const jobCenter = (page: Page) => page.getByRole('region', { name: 'Jobs' });
const tabs = (page: Page) => page.getByRole('navigation', { name: 'Backup', exact: true });
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

interface Backup {
  fileName: string;
  status: string;
  sha256: string;
  size: number;
}

/** Requests a backup and waits until it is ready. */
async function makeBackup(page: Page): Promise<Backup> {
  const requested = (await sendRequest(page.request, 'POST', '/api/rest/v4/backups/request', {})) as {
    data: Backup;
  };
  const loadBackup = async () => {
    const { data } = (await sendRequest(page.request, 'GET', '/api/rest/v4/backups')) as { data: Backup[] };
    return data.find(({ fileName }) => fileName === requested.data.fileName);
  };
  await expect.poll(async () => (await loadBackup())?.status, { timeout: 20_000 }).toBe('Ready');
  const backup = await loadBackup();
  if (!backup) throw new Error('The backup does not exist');
  return backup;
}

/** Removes the file picker, as in most browsers: the file is stored by the browser first. */
const removeFilePicker = (page: Page) =>
  page.addInitScript(() => Object.assign(window, { showSaveFilePicker: undefined }));

test('requests a backup, watches it, downloads and checks it, and records the download', async ({ page }) => {
  await removeFilePicker(page);
  await openAs(page, ada);
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  const task = await countSteps(page);
  await page.getByRole('navigation').getByRole('link', { name: 'Backups' }).click();
  await expect(page.getByText(/has no backups yet/)).toBeVisible();
  await page.keyboard.press('n');
  const panel = page.getByRole('dialog', { name: 'Request a backup' });
  await panel.getByText('Some entry types').click();
  await panel.getByRole('button', { name: 'Request backup' }).click();
  await expect(panel.getByText('Choose at least one entry type')).toBeVisible();
  await panel.getByRole('button', { name: 'Select all' }).click();
  await panel.getByRole('checkbox', { name: /^Deals/ }).uncheck();
  await expectAccessible(page);
  // The address of a download is shown before the backup is requested.
  await expect(panel.getByText(/Yours is (127\.0\.0\.1|::1)\./)).toBeVisible();
  await panel.getByRole('button', { name: 'Request backup' }).click();
  await expectToast(page, 'Backup requested');

  // The row and the message of its job appear without a reload.
  const row = await expectRow(backupList(page), { State: 'Ready' });
  await expect(page.getByRole('link', { name: 'Open backup' })).toBeVisible();
  await expectAccessibleInBothThemes(page);
  await expect(page.getByText(/Yours is (127\.0\.0\.1|::1)\./)).toBeVisible();
  const latency = page.getByText(/^Latency p95 [\d,]+ ms, measured by this browser in [\d,]+ reads/);
  await expect(latency).toBeAttached();
  const { bytes, name } = await downloadBytes(page, () =>
    row.getByRole('button', { name: /^Download / }).click(),
  );
  await expect(jobCenter(page)).toContainText('Checksum verified (SHA-256).');
  await expect(jobCenter(page)).toContainText(/All \d+ members match the manifest\./);
  // Four without choosing entry types.
  task.expectAtMost(8);

  await row.getByRole('link', { name }).click();
  await expect(page.getByText(sha256(bytes))).toBeVisible();
  await expectAccessibleInBothThemes(page);
  await verifyFiles(page, name, bytes, task);
  // High enough that the grid draws all rows.
  await page.setViewportSize({ width: 1280, height: 2000 });
  await tabs(page).getByRole('link', { name: 'Contents' }).click();
  await expectRow(page.getByRole('grid', { name: 'Contents' }), { Member: /Companies/ });
  await expect(page.getByRole('grid', { name: 'Contents' })).not.toContainText('Deals');
  await tabs(page).getByRole('link', { name: 'Downloads' }).click();
  await expectRow(page.getByRole('grid', { name: 'Downloads' }), {
    'E-mail': ada.email,
    From: /127\.0\.0\.1|::1/,
    Result: 'Complete',
  });
  await expectAccessible(page);
});

/** Checks the downloaded file once more, then a damaged copy, a truncated one and the file again, and goes back. */
async function verifyFiles(page: Page, name: string, bytes: Buffer, task: StepCount): Promise<void> {
  const backupUrl = page.url();
  const members = page.getByRole('grid', { name: 'Members' });
  await page.getByRole('link', { name: 'Show members' }).click();
  await expectRow(members, { Member: /^settings\.csv/, Result: 'Matches' });
  await expect(page.getByText('its SHA-256 is that of the list')).toBeVisible();
  // The backup and its members were opened.
  task.expectAtMost(10);

  const damaged = Buffer.from(bytes);
  // Within the data of the first member.
  damaged.fill(0xff, 60, 80);
  const choose = (file: string, buffer: Buffer) =>
    page
      .getByLabel(/^(choose|Verify) another file$/)
      .setInputFiles({ name: file, mimeType: 'application/zip', buffer });
  await choose('damaged.zip', damaged);
  await expect(page.getByRole('alert')).toContainText(/1 of \d+ members does not match the manifest/);
  task.expectAtMost(11);
  // The damaged member is the first row.
  await expect(members.getByRole('row').nth(1)).toContainText('Damaged');
  await expectAccessibleInBothThemes(page);
  await choose('short.zip', bytes.subarray(0, -200));
  await expect(page.getByRole('alert')).toContainText('its end is missing');
  await choose(name, bytes);
  await expect(page.getByText('its SHA-256 is that of the list')).toBeVisible();
  await expect(page.getByRole('alert')).toHaveCount(0);
  await page.goto(backupUrl);
}

interface FlakyProxy {
  url: string;
  /** Breaks the connections that carry a backup. */
  cut: () => void;
  close: () => Promise<void>;
}

/** TCP proxy that stalls the first two downloads after a number of bytes, until they are cut. */
async function startFlakyProxy(target: string, stallAfterBytes: number): Promise<FlakyProxy> {
  const stalled: Socket[] = [];
  const openSockets = new Set<Socket>();
  let remainingStalls = 2;
  const server = createServer((browser) => {
    const service = connect(Number(new URL(target).port), '127.0.0.1');
    let remainingBytes = Number.POSITIVE_INFINITY;
    for (const [one, other] of [
      [browser, service],
      [service, browser],
    ] as const) {
      openSockets.add(one);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        openSockets.delete(one);
        other.destroy();
      });
    }
    browser.on('data', (part) => {
      if (remainingStalls > 0 && part.includes('/backups/downloads/')) {
        remainingStalls -= 1;
        remainingBytes = stallAfterBytes;
        stalled.push(browser);
      }
      service.write(part);
    });
    service.on('data', (part: Buffer) => {
      browser.write(part.subarray(0, Math.max(0, Math.min(part.length, remainingBytes))));
      remainingBytes -= part.length;
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (!address || typeof address === 'string') throw new Error('No port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    cut: () => stalled.forEach((one) => one.resetAndDestroy()),
    async close() {
      for (const socket of openSockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

test('continues an interrupted and a paused download to the same hash', async ({
  page,
  service,
  expectFailure,
}) => {
  expectFailure(/ERR_(CONNECTION_RESET|INCOMPLETE|EMPTY|CONTENT_LENGTH)/);
  await removeFilePicker(page);
  await openAs(page, ada);
  const backup = await makeBackup(page);
  const proxy = await startFlakyProxy(service.url, 20_000);
  try {
    await page.goto(`${proxy.url}/backups`);
    await page.getByRole('button', { name: `Download ${backup.fileName}` }).click();
    const progress = (kilobytes: RegExp) => jobCenter(page).getByText(kilobytes);
    await expect(progress(/^1\d kB of /)).toBeVisible();
    proxy.cut();
    await expect(progress(/^3\d kB of /)).toBeVisible();
    // The download continues on other pages.
    await page.getByRole('link', { name: 'Groups' }).click();
    await jobCenter(page).getByRole('button', { name: 'Pause' }).click();
    await expect(jobCenter(page).getByText(/paused$/)).toBeVisible();
    const file = await downloadBytes(page, () =>
      jobCenter(page).getByRole('button', { name: 'Continue' }).click(),
    );
    expect(file.bytes.length).toBe(backup.size);
    expect(sha256(file.bytes)).toBe(backup.sha256);
    await expect(jobCenter(page)).toContainText('Checksum verified');
  } finally {
    await proxy.close();
  }
});

/** Row of a backup. */
const findRow = (page: Page, { fileName }: Backup): Promise<Locator> =>
  expectRow(backupList(page), { File: fileName });

test('compares two backups and deletes one by typing its name', async ({ page, calls }) => {
  await openAs(page, ada);
  const before = await makeBackup(page);
  await Promise.all(Array.from({ length: 20 }, (_, at) => calls.createGroup(`Added ${at}`, [])));
  const after = await makeBackup(page);
  await page.goto('/backups');
  await chooseRowAction(await findRow(page, after), 'Compare with previous backup');
  const table = page.getByRole('grid', { name: 'Differences' });
  await expectRow(table, { Member: 'groups.csv', Change: /times as much/, Difference: '+20' });
  await expect(page.getByText('1 member changed unusually between the backups')).toBeVisible();
  await expectAccessible(page);

  await tabs(page).getByRole('link', { name: 'Overview' }).click();
  await expect(page.getByText('groups.csv: 2.3 times as much')).toBeVisible();

  await page.goto('/backups');
  await chooseRowAction(await findRow(page, before), 'Delete…');
  const dialog = page.getByRole('alertdialog', { name: `Delete ${before.fileName}?` });
  await expect(dialog).toContainText('This cannot be undone');
  const confirmButton = dialog.getByRole('button', { name: 'Delete backup' });
  await expect(confirmButton).toHaveAccessibleDescription(`Type “${before.fileName}” first`);
  await dialog.getByRole('textbox').fill(before.fileName);
  await expectAccessible(page);
  await confirmButton.click();
  await expectToast(page, `${before.fileName} was deleted`);
  await expect(backupList(page).getByText(before.fileName)).toHaveCount(0);
  await findRow(page, after);
});
