import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { SMTPServer } from 'smtp-server';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { onEachDatabase } from '../../testing/databases.ts';
import type { Db } from '../db/database.ts';
import { createLog } from '../log.ts';
import { Secret } from '../secret.ts';
import { passwordResetMail, setPasswordMail } from './messages.ts';
import { claimDueMail, markFailed, queueMail } from './store.ts';
import { type MailWorker, startMailWorker } from './worker.ts';

const log = createLog('silent');
const publicUrl = 'https://steward.example';
const to = 'zoe@northlight.example';
let dataDir = '';
let worker: MailWorker | undefined;
let server: SMTPServer | undefined;

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'steward-mail-'));
});
afterEach(async () => {
  await worker?.stop();
  await new Promise<void>((done) => (server ? server.close(done) : done()));
  worker = undefined;
  server = undefined;
  await rm(dataDir, { recursive: true, force: true });
});

/** A real SMTP server that keeps what it accepts; `refuse` makes it answer 451 to as many mails. */
async function startServer(port = 0, refuse = 0): Promise<{ port: number; received: string[] }> {
  const received: string[] = [];
  let refusals = refuse;
  const started = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        if (refusals-- > 0) return done(Object.assign(new Error('Try again later'), { responseCode: 451 }));
        const rcpt = session.envelope.rcptTo.map((address) => address.address).join(',');
        received.push(`RCPT ${rcpt}\n${Buffer.concat(chunks).toString()}`);
        return done();
      });
    },
  });
  server = started;
  await new Promise<void>((done) => void started.listen(port, '127.0.0.1', done));
  const address = started.server.address();
  return { port: typeof address === 'object' && address ? address.port : port, received };
}

const start = (db: Db, smtpUrl?: string) => {
  worker = startMailWorker({
    db,
    log,
    config: { dataDir, publicUrl, smtpUrl: smtpUrl ? new Secret(smtpUrl) : undefined },
  });
  return worker;
};

const queue = (db: Db, subject = 'Hello', text = 'Text\n') =>
  db.transaction().execute((tx) => queueMail(tx, { siteId: null, to, subject, text, hours: 24 }));

const rows = (db: Db) => db.selectFrom('mail').selectAll().orderBy('mail_id').execute();

/** Waits for what the worker does in the background. */
async function until(check: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + 10_000;
  // oxlint-disable-next-line no-await-in-loop -- asking again is the point
  while (!(await check())) {
    if (Date.now() > end) throw new Error('It did not happen within ten seconds');
    // oxlint-disable-next-line no-await-in-loop
    await sleep(20);
  }
}
const allSent = (db: Db) => until(async () => (await rows(db)).every((row) => row.sent_at !== null));

onEachDatabase((database) => {
  beforeEach(() => sql`delete from mail`.execute(database().db));

  test('a committed mail reaches an SMTP server, and its text is then forgotten', async () => {
    const { db } = database();
    const { port, received } = await startServer();
    const { wake } = start(db, `smtp://127.0.0.1:${port}?from=office@northlight.example`);
    await queue(db, 'Grüße für Zoë', 'Ein Link:\nhttps://steward.example/link#x\n');
    wake();
    await allSent(db);
    expect(received).toHaveLength(1);
    expect(received[0]).toContain(`RCPT ${to}\n`);
    expect(received[0]).toContain('From: office@northlight.example');
    expect(received[0]).toMatch(/^Message-ID: <\d+\.\d+@steward\.example>/m);
    expect(received[0]).toContain('https://steward.example/link#x');
    const [row] = await rows(db);
    expect(row).toMatchObject({ attempts: 1, body_text: '', last_error: null });
  });

  test('a rolled-back change sends nothing', async () => {
    const { db } = database();
    const undone = db.transaction().execute(async (tx) => {
      await queueMail(tx, { siteId: null, to, subject: 'Never', text: 'Never', hours: 24 });
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');
    expect(await rows(db)).toEqual([]);
  });

  test('with the server down a mail waits, and is delivered once when it is back', async () => {
    const { db } = database();
    const { port } = await startServer();
    await new Promise<void>((done) => (server ? server.close(done) : done()));
    server = undefined;
    const { wake } = start(db, `smtp://127.0.0.1:${port}`);
    await queue(db);
    wake();
    await until(async () => typeof (await rows(db))[0]?.last_error === 'string');
    const [waiting] = await rows(db);
    expect(waiting).toMatchObject({ sent_at: null, attempts: 1 });
    expect(waiting?.last_error).toContain('ECONNREFUSED');
    expect(waiting?.next_attempt_at.getTime()).toBeGreaterThan(Date.now() + 20_000);

    const { received } = await startServer(port, 1);
    // The server refuses for a while once, then takes it.
    const reasons: (string | null)[] = [];
    for (let attempt = 2; attempt <= 5 && (await rows(db))[0]?.sent_at === null; attempt += 1) {
      // oxlint-disable-next-line no-await-in-loop -- one attempt after the other
      await sql`update mail set next_attempt_at = now(), last_error = null`.execute(db);
      wake();
      // oxlint-disable-next-line no-await-in-loop
      await until(async () =>
        (await rows(db)).every((row) => row.attempts === attempt && (row.sent_at ?? row.last_error) !== null),
      );
      reasons.push((await rows(db))[0]?.last_error ?? null);
    }
    expect(reasons.some((reason) => reason?.includes('451'))).toBe(true);
    await allSent(db);
    expect(received).toHaveLength(1);
  });

  test('where the address asks for TLS nothing is sent without it', async () => {
    const { db } = database();
    const { port, received } = await startServer();
    const { wake } = start(db, `smtp://127.0.0.1:${port}?requireTLS=true`);
    await queue(db);
    wake();
    await until(async () => typeof (await rows(db))[0]?.last_error === 'string');
    expect(received).toEqual([]);
  });

  test('several workers share the outbox without sending anything twice', async () => {
    const { db } = database();
    const { port, received } = await startServer();
    for (let index = 0; index < 30; index += 1) {
      // oxlint-disable-next-line no-await-in-loop -- in order
      await queue(db, `Mail ${index}`);
    }
    const config = { dataDir, publicUrl, smtpUrl: new Secret(`smtp://127.0.0.1:${port}`) };
    const workers = [1, 2, 3].map(() => startMailWorker({ db, log, config }));
    await allSent(db);
    await Promise.all(workers.map((each) => each.stop()));
    const subjects = received.map((mail) => /^Subject: (.*)$/m.exec(mail)?.[1]);
    expect(subjects).toHaveLength(30);
    expect(new Set(subjects).size).toBe(30);
  });

  test('a claim keeps others away until it runs out; the fence keeps an old one from moving the plan', async () => {
    const { db } = database();
    await queue(db);
    const [first] = await claimDueMail(db, 4);
    expect(await claimDueMail(db, 4)).toEqual([]);
    await sql`update mail set next_attempt_at = now() - interval '1 second'`.execute(db);
    const [second] = await claimDueMail(db, 4);
    expect(second).toMatchObject({ attempts: 2 });
    if (!first) throw new Error('The mail was due');
    await markFailed(db, first, 'late news');
    expect((await rows(db))[0]?.last_error).toBeNull();
  });

  test('a mail that expired while nobody sent it is not sent any more', async () => {
    const { db } = database();
    await queue(db);
    await sql`update mail set expires_at = now()`.execute(db);
    await queue(db, 'Still good');
    expect((await claimDueMail(db, 4)).map(({ subject }) => subject)).toEqual(['Still good']);
    expect(await rows(db)).toMatchObject([{ sent_at: null, attempts: 0 }, { attempts: 1 }]);
    expect((await rows(db))[0]?.last_error).toContain('ran out');
  });

  test('a mail is due at once, whatever the part of a millisecond it was queued in', async () => {
    const { db } = database();
    for (let index = 0; index < 40; index += 1) {
      // oxlint-disable-next-line no-await-in-loop -- each is claimed before the next is queued
      await queue(db);
      // oxlint-disable-next-line no-await-in-loop
      expect(await claimDueMail(db, 1)).toHaveLength(1);
    }
  });

  test('a mail that would be tried again too late rests, kept with its reason', async () => {
    const { db } = database();
    await queue(db);
    await sql`update mail set expires_at = now() + interval '2 hours', attempts = 30`.execute(db);
    const [mail] = await claimDueMail(db, 1);
    if (!mail) throw new Error('The mail was due');
    expect(await markFailed(db, mail, '550 no such mailbox')).toBe(false);
    expect(await claimDueMail(db, 1)).toEqual([]);
    const kept = await sql<{ resting: boolean }>`
      select next_attempt_at = 'infinity' and last_error is not null and body_text <> '' as resting from mail`.execute(
      db,
    );
    expect(kept.rows).toEqual([{ resting: true }]);
  });

  test('without SMTP a mail becomes one file that only its owner reads', async () => {
    const { db } = database();
    const { wake } = start(db);
    await queue(db, 'Set your password', 'https://steward.example/link#secret\n');
    wake();
    await allSent(db);
    const files = await readdir(join(dataDir, 'mail'));
    expect(files).toHaveLength(1);
    expect(files[0]).toMatch(/^\d{8}T\d{9}Z-\d+\.eml$/);
    const path = join(dataDir, 'mail', files[0] ?? '');
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    const text = await readFile(path, 'utf8');
    expect(text).toContain(`To: ${to}`);
    expect(text).toContain('https://steward.example/link#secret');
  });

  test.each([
    ['a@b.example\r\nBcc: c@d.example', 'ok'],
    ['a@b.example, c@d.example', 'ok'],
    ['Zoë <a@b.example>', 'ok'],
    ['group:a@b.example;', 'ok'],
    ['nobody', 'ok'],
    ['a@b.example', 'ok\nBcc: c@d.example'],
    ['a@b.example', 'ok\u2028more'],
  ])('refuses %j with the subject %j', async (address, subject) => {
    const { db } = database();
    const queued = db
      .transaction()
      .execute((tx) => queueMail(tx, { siteId: null, to: address, subject, text: '', hours: 24 }));
    await expect(queued).rejects.toThrow(/^(A mail needs|The subject)/);
    expect(await rows(db)).toEqual([]);
  });
});

test('the words of the mails stay one line where names go, whatever the names hold', () => {
  const person = {
    firstName: 'Zoë\r\nBcc: x',
    siteName: 'North\u2028light\u202e',
    link: 'https://steward.example/link#t',
  };
  for (const mail of [setPasswordMail(person), passwordResetMail(person)]) {
    expect(mail.subject).toMatch(/^[^\p{C}\p{Zl}\p{Zp}]+$/u);
    expect(mail.text).toContain('Hello Zoë Bcc: x,\n\n');
    expect(mail.text.split('\n')).toContain(person.link);
  }
});
