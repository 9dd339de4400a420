import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { beforeAll, describe, expect, test } from 'vitest';
import type { BackupDownload, BackupDownloadRecord } from '../../../contract/generated/types.gen.ts';
import { BACKUPS, makeBackup } from '../../testing/backups.ts';
import type { Refusal } from '../../testing/calls.ts';
import { makeEntryType } from '../../testing/entries.ts';
import { as, makePerson, makeSite, onEachApp, type Person } from '../../testing/site.ts';

const HOME = '127.0.0.1';
const ELSEWHERE = '127.0.0.2';
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

onEachApp((house) => {
  let person: Person;
  let fileName = '';
  let hash = '';
  let size = 0;
  const api = () => as(house().app, person);

  beforeAll(async () => {
    person = await makePerson(house().db, await makeSite(house().db));
    await makeEntryType(api(), 'Thing', {});
    // Enough that a connection can break in the middle of it.
    await house()
      .db.updateTable('account')
      .set({ last_name: Buffer.from(crypto.getRandomValues(new Uint8Array(60_000))).toString('base64') })
      .where('user_id', '=', person.userId)
      .execute();
    const { backup } = await makeBackup(house().db, api());
    ({ fileName } = backup);
    hash = backup.sha256 ?? '';
    size = backup.size ?? 0;
  });

  const link = async (who = person) => {
    const { body } = await as(house().app, who).post<BackupDownload>(
      `${BACKUPS}/${fileName}/download-token`,
      undefined,
      { remoteAddress: HOME },
    );
    return body;
  };
  const fetchLink = (url: string, remoteAddress = HOME, headers: Record<string, string> = {}) =>
    house().app.inject({ url, remoteAddress, headers });
  const downloads = async () =>
    (await api().get<BackupDownloadRecord[]>(`${BACKUPS}/${fileName}/downloads`)).body;
  const audited = async () =>
    (
      await house()
        .db.selectFrom('audit_log')
        .select(['action', 'ip'])
        .where('site_id', '=', person.siteId)
        .where('action', 'like', 'backup.download%')
        .orderBy('audit_id', 'desc')
        .execute()
    ).map(({ action, ip }) => `${action} ${ip}`);
  const activity = () =>
    house()
      .db.selectFrom('activity')
      .select(['user_id', 'ip_address'])
      .where('site_id', '=', person.siteId)
      .where('activity_type_id', '=', 10)
      .orderBy('activity_id', 'desc')
      .execute();

  test('a link opens once, with the whole file, its length, version and a name to save it under', async () => {
    const { url, ipAddress, expiresDate } = await link();
    expect([ipAddress, Date.parse(expiresDate) - Date.now() > 290_000]).toEqual([HOME, true]);
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
    expect((await downloads())[0]).toMatchObject({
      userId: person.userId,
      ipAddress: HOME,
      isComplete: true,
      bytesSent: size,
    });
    expect((await audited())[0]).toBe(`backup.download ${HOME}`);
    expect((await activity())[0]).toEqual({ user_id: person.userId, ip_address: HOME });
  });

  test('from another address it is refused with the reason, and that is written down; at home it still opens', async () => {
    const { url } = await link();
    const refused = await fetchLink(url, ELSEWHERE);
    expect(refused.statusCode).toBe(403);
    expect(refused.json<Refusal>().message).toContain(`you come from ${ELSEWHERE}`);
    expect((await audited())[0]).toBe(`backup.download-refused ${ELSEWHERE}`);
    expect((await activity())[0]).toEqual({ user_id: person.userId, ip_address: ELSEWHERE });
    expect((await fetchLink(url, `::ffff:${HOME}`)).statusCode).toBe(200);
  });

  test('a connection that broke goes on from where it was, and the file is the same', async () => {
    await house().app.listen({ host: HOME, port: 0 });
    const address = house().app.server.address();
    const base = `http://${HOME}:${typeof address === 'object' && address ? address.port : 0}`;
    const { url } = await link();
    const pieces: Buffer[] = [];
    const read = async (headers: Record<string, string>, most: number) => {
      const request = get(base + url, { headers, agent: false });
      const [response] = (await once(request, 'response')) as [IncomingMessage];
      for await (const chunk of response as AsyncIterable<Buffer>) {
        pieces.push(chunk);
        if (Buffer.concat(pieces).length > most) break;
      }
      request.destroy();
      return response.statusCode;
    };
    expect(await read({}, 1000)).toBe(200);
    const got = Buffer.concat(pieces).length;
    expect(got).toBeLessThan(size);
    for (const range of ['x', 'bytes=0-', 'bytes=-5', 'bytes=5-9,20-'])
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      expect((await fetchLink(url, HOME, { range })).statusCode).toBe(404);
    expect((await fetchLink(url, ELSEWHERE, { range: `bytes=${got}-` })).statusCode).toBe(403);
    const etag = `"${Buffer.from(hash, 'hex').toString('base64url')}"`;
    expect(await read({ range: `bytes=${got}-`, 'if-range': etag }, Infinity)).toBe(206);
    expect(sha256(Buffer.concat(pieces))).toBe(hash);
    await expect.poll(async () => (await downloads())[0]?.isComplete).toBe(true);
  });

  test('one that is over is gone', async () => {
    const { url } = await link();
    await house()
      .db.updateTable('backup_download')
      .set({ expires_at: new Date(Date.now() - 1000) })
      .where('started_at', 'is', null)
      .execute();
    expect((await fetchLink(url)).statusCode).toBe(404);
    expect((await fetchLink(`${BACKUPS}/downloads/${'a'.repeat(43)}`)).statusCode).toBe(404);
  });

  describe('between the link and its use its owner', () => {
    test.each([
      ['loses the capability', { capabilities: [] }],
      ['is deactivated', { is_active: false }],
      ['may come from approved addresses alone', { ip_restrictions_enabled: true }],
    ])(
      '%s: refused',
      async (
        _,
        {
          capabilities,
          ...membership
        }: { capabilities?: string[]; is_active?: boolean; ip_restrictions_enabled?: boolean },
      ) => {
        const who = await makePerson(house().db, person.siteId);
        const { url } = await link(who);
        if (capabilities)
          await house()
            .db.updateTable('user_group')
            .set({ capabilities })
            .where('group_id', '=', who.groupId)
            .execute();
        else
          await house()
            .db.updateTable('membership')
            .set(membership)
            .where('user_id', '=', who.userId)
            .execute();
        expect((await fetchLink(url)).statusCode).toBe(403);
      },
    );
  });

  test('without a link, parts of one download are one, and what was sent is counted', async () => {
    const headers = { authorization: `Bearer ${person.token}` };
    const part = (range: string) =>
      house().app.inject({ url: `${BACKUPS}/${fileName}`, headers: { ...headers, range } });
    const first = await part('bytes=0-99');
    const rest = await part('bytes=100-');
    expect([first.statusCode, rest.statusCode]).toEqual([206, 206]);
    expect(sha256(Buffer.concat([first.rawPayload, rest.rawPayload]))).toBe(hash);
    await expect
      .poll(async () => (await downloads())[0])
      .toMatchObject({ bytesSent: size, isComplete: true });
    expect((await part(`bytes=${size}-`)).statusCode).toBe(416);
  });
});
