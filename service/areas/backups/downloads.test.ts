import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { beforeAll, describe, expect, test } from 'vitest';
import type { BackupDownload, BackupDownloadRecord } from '../../../contract/generated/types.gen.ts';
import { BACKUPS, makeBackup } from '../../testing/backups.ts';
import type { ApiClient, ErrorBody } from '../../testing/calls.ts';
import { makeEntryType } from '../../testing/entries/entries.ts';
import { as, makePerson, makeSite, onEachApp, type Person } from '../../testing/site.ts';

const OWN_ADDRESS = '127.0.0.1';
const OTHER_ADDRESS = '127.0.0.2';
const readAddress = async (client: ApiClient, remoteAddress: string) =>
  (await client.get(`${BACKUPS}/address`, { remoteAddress })).body;
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

onEachApp((context) => {
  let person: Person;
  let fileName = '';
  let hash = '';
  let size = 0;
  const api = () => as(context().app, person);

  beforeAll(async () => {
    person = await makePerson(context().db, await makeSite(context().db));
    await makeEntryType(api(), 'Thing', {});
    // Large enough to interrupt the connection halfway.
    await context()
      .db.updateTable('account')
      .set({ last_name: Buffer.from(crypto.getRandomValues(new Uint8Array(60_000))).toString('base64') })
      .where('user_id', '=', person.userId)
      .execute();
    const { backup } = await makeBackup(context().db, api());
    ({ fileName } = backup);
    hash = backup.sha256 ?? '';
    size = backup.size ?? 0;
  });

  const createLink = async (who = person) => {
    const { body } = await as(context().app, who).post<BackupDownload>(
      `${BACKUPS}/${fileName}/download-token`,
      undefined,
      { remoteAddress: OWN_ADDRESS },
    );
    return body;
  };
  const fetchLink = (url: string, remoteAddress = OWN_ADDRESS, headers: Record<string, string> = {}) =>
    context().app.inject({ url, remoteAddress, headers });
  const listDownloads = async () =>
    (await api().get<BackupDownloadRecord[]>(`${BACKUPS}/${fileName}/downloads`)).body;
  const listAuditEntries = async () =>
    (
      await context()
        .db.selectFrom('audit_log')
        .select(['action', 'ip'])
        .where('site_id', '=', person.siteId)
        .where('action', 'like', 'backup.download%')
        .orderBy('audit_id', 'desc')
        .execute()
    ).map(({ action, ip }) => `${action} ${ip}`);
  const listActivities = () =>
    context()
      .db.selectFrom('activity')
      .select(['user_id', 'ip_address'])
      .where('site_id', '=', person.siteId)
      .where('activity_type_id', '=', 10)
      .orderBy('activity_id', 'desc')
      .execute();

  test('the address to which a link will be bound is known before, and the one of the session', async () => {
    await context()
      .db.updateTable('session')
      .set({ ip: OWN_ADDRESS })
      .where('user_id', '=', person.userId)
      .execute();
    const browser = as(context().app, person, 'console');
    const sessionAddress = OWN_ADDRESS;
    expect(await readAddress(browser, OWN_ADDRESS)).toEqual({ ipAddress: OWN_ADDRESS, sessionAddress });
    expect(await readAddress(browser, OTHER_ADDRESS)).toEqual({ ipAddress: OTHER_ADDRESS, sessionAddress });
    expect(await readAddress(api(), OTHER_ADDRESS)).toEqual({
      ipAddress: OTHER_ADDRESS,
      sessionAddress: null,
    });
  });

  test('a link works once, and returns the whole file with its length, ETag and file name', async () => {
    const { url, ipAddress, expiresDate } = await createLink();
    expect([ipAddress, Date.parse(expiresDate) - Date.now() > 290_000]).toEqual([OWN_ADDRESS, true]);
    const file = await fetchLink(url);
    expect([file.statusCode, sha256(file.rawPayload)]).toEqual([200, hash]);
    expect(file.headers).toMatchObject({
      'content-type': 'application/zip',
      'content-length': String(size),
      'content-disposition': `attachment; filename="${fileName}"; filename*=UTF-8''${fileName}`,
      'accept-ranges': 'bytes',
      etag: `"${Buffer.from(hash, 'hex').toString('base64url')}"`,
    });
    expect((await fetchLink(url)).statusCode).toBe(404);
    // Written when the connection has taken the last bytes.
    await expect
      .poll(async () => (await listDownloads())[0])
      .toMatchObject({ userId: person.userId, ipAddress: OWN_ADDRESS, isComplete: true, bytesSent: size });
    expect((await listAuditEntries())[0]).toBe(`backup.download ${OWN_ADDRESS}`);
    expect((await listActivities())[0]).toEqual({ user_id: person.userId, ip_address: OWN_ADDRESS });
  });

  test('a link is refused from another address, which is logged, and still works from its own', async () => {
    const { url } = await createLink();
    const refused = await fetchLink(url, OTHER_ADDRESS);
    expect(refused.statusCode).toBe(403);
    expect(refused.json<ErrorBody>().message).toContain(`your address is ${OTHER_ADDRESS}`);
    expect((await listAuditEntries())[0]).toBe(`backup.download-refused ${OTHER_ADDRESS}`);
    expect((await listActivities())[0]).toEqual({ user_id: person.userId, ip_address: OTHER_ADDRESS });
    expect((await fetchLink(url, `::ffff:${OWN_ADDRESS}`)).statusCode).toBe(200);
  });

  test('an interrupted download continues with a range request', async () => {
    await context().app.listen({ host: OWN_ADDRESS, port: 0 });
    const address = context().app.server.address();
    const base = `http://${OWN_ADDRESS}:${typeof address === 'object' && address ? address.port : 0}`;
    const { url } = await createLink();
    const chunks: Buffer[] = [];
    const readChunks = async (headers: Record<string, string>, maxBytes: number) => {
      const request = get(base + url, { headers, agent: false });
      const [response] = (await once(request, 'response')) as [IncomingMessage];
      for await (const chunk of response as AsyncIterable<Buffer>) {
        chunks.push(chunk);
        if (Buffer.concat(chunks).length > maxBytes) break;
      }
      request.destroy();
      return response.statusCode;
    };
    expect(await readChunks({}, 1000)).toBe(200);
    const receivedBytes = Buffer.concat(chunks).length;
    expect(receivedBytes).toBeLessThan(size);
    for (const range of ['x', 'bytes=0-', 'bytes=-5', 'bytes=5-9,20-'])
      expect((await fetchLink(url, OWN_ADDRESS, { range })).statusCode).toBe(404);
    expect((await fetchLink(url, OTHER_ADDRESS, { range: `bytes=${receivedBytes}-` })).statusCode).toBe(403);
    const etag = `"${Buffer.from(hash, 'hex').toString('base64url')}"`;
    expect(await readChunks({ range: `bytes=${receivedBytes}-`, 'if-range': etag }, Infinity)).toBe(206);
    expect(sha256(Buffer.concat(chunks))).toBe(hash);
    await expect.poll(async () => (await listDownloads())[0]?.isComplete).toBe(true);
  });

  test('an expired or unknown link is 404', async () => {
    const { url } = await createLink();
    await context()
      .db.updateTable('backup_download')
      .set({ expires_at: new Date(Date.now() - 1000) })
      .where('started_at', 'is', null)
      .execute();
    expect((await fetchLink(url)).statusCode).toBe(404);
    expect((await fetchLink(`${BACKUPS}/downloads/${'a'.repeat(43)}`)).statusCode).toBe(404);
  });

  describe('a link is refused when its owner', () => {
    test.each([
      ['loses the capability', { capabilities: [] }],
      ['is deactivated', { is_active: false }],
      ['is restricted to approved addresses', { ip_restrictions_enabled: true }],
    ])(
      '%s',
      async (
        _,
        {
          capabilities,
          ...membership
        }: { capabilities?: string[]; is_active?: boolean; ip_restrictions_enabled?: boolean },
      ) => {
        const who = await makePerson(context().db, person.siteId);
        const { url } = await createLink(who);
        if (capabilities)
          await context()
            .db.updateTable('user_group')
            .set({ capabilities })
            .where('group_id', '=', who.groupId)
            .execute();
        else
          await context()
            .db.updateTable('membership')
            .set(membership)
            .where('user_id', '=', who.userId)
            .execute();
        expect((await fetchLink(url)).statusCode).toBe(403);
      },
    );
  });

  test('range requests without a link count as one download with the bytes sent', async () => {
    const headers = { authorization: `Bearer ${person.token}` };
    const part = (range: string) =>
      context().app.inject({ url: `${BACKUPS}/${fileName}`, headers: { ...headers, range } });
    const first = await part('bytes=0-99');
    const rest = await part('bytes=100-');
    expect([first.statusCode, rest.statusCode]).toEqual([206, 206]);
    expect(sha256(Buffer.concat([first.rawPayload, rest.rawPayload]))).toBe(hash);
    await expect
      .poll(async () => (await listDownloads())[0])
      .toMatchObject({ bytesSent: size, isComplete: true });
    expect((await part(`bytes=${size}-`)).statusCode).toBe(416);
  });
});
