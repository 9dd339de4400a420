/** The consumer of docs/publications.md, as a process of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeAll, expect, test, vi } from 'vitest';
import type { Consumer } from '../../../contract/generated/types.gen.ts';
import { makeThings } from '../../testing/entries/entries.ts';
import { makeKey, makePerson, onEachApp } from '../../testing/site.ts';

const CONSUMER = fileURLToPath(new URL('../../../docs/consumer.mjs', import.meta.url));

onEachApp((context) => {
  let address = '';
  let child: ChildProcess | undefined;
  beforeAll(async () => {
    address = await context().app.listen({ host: '127.0.0.1', port: 0 });
  });
  afterEach(async () => {
    if (child?.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  });

  test('the consumer of the documentation prints each event and continues where it ended', async () => {
    const things = await makeThings(context());
    const owner = await makePerson(context().db, things.siteId, {
      capabilities: ['Access Web Service', 'Read Publications'],
    });
    // The secret of the key that a person has is not known.
    await context()
      .db.updateTable('api_key')
      .set({ disabled_at: new Date() })
      .where('client_id', '=', owner.clientId)
      .execute();
    const key = await makeKey(context().db, owner, ['publish']);
    const start = () => {
      const started = spawn(process.execPath, [CONSUMER], {
        env: {
          ...process.env,
          STEWARD_URL: address,
          CLIENT_ID: String(key.clientId),
          CLIENT_SECRET: key.secret,
        },
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      child = started;
      return createInterface(started.stdout);
    };
    const readLine = async (lines: ReturnType<typeof start>): Promise<string> =>
      String((await once(lines, 'line'))[0]);
    const readOffset = async () => {
      const { body } = await things.api.get<Consumer[]>('/api/rest/v1/publication/consumers');
      return body.find(({ clientId }) => clientId === key.clientId)?.offset;
    };
    const [one = 0] = await things.create({ Name: 'First' });
    expect(await readLine(start())).toContain('"First"');
    await vi.waitUntil(async () => (await readOffset()) === 1, { timeout: 20_000 });
    child?.kill('SIGKILL');
    if (child) await once(child, 'exit');
    await things.update(one, { Name: 'Second' });
    expect(await readLine(start())).toMatch(/^1 .*"Second"/);
  });
});
