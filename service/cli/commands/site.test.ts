import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { onEachHost } from '../../testing/commands.ts';

onEachHost(({ database, run, queryOne: one, lastAudit, email }) => {
  const seats = (...args: string[]) => run('site', 'seats', 'northlight', ...args);

  test('site list prints all sites', async () => {
    expect(await run('site', 'list')).toMatchObject([
      { slug: 'northlight', name: 'Northlight Capital', members: 30, identityMode: 'password' },
      { slug: 'harbor' },
    ]);
  });

  test('names and addresses that the interface would refuse are refused', async () => {
    const long = 'x'.repeat(101);
    const create = (...names: string[]) => run('user', 'create', 'new@northlight.example', ...names);
    await expect(run('site', 'create', 'north', '--name', long)).rejects.toThrow('--name: at most 100');
    await expect(create('--first-name', long, '--last-name', 'Y')).rejects.toThrow('--first-name: at most');
    await expect(create('--first-name', 'X', '--last-name', long)).rejects.toThrow('--last-name: at most');
    await expect(
      run('user', 'create', `${'x'.repeat(250)}@a.example`, '--first-name', 'X', '--last-name', 'Y'),
    ).rejects.toThrow('at most 254 characters');
    expect(await run('site', 'list')).toHaveLength(2);
  });

  test('site set --sign-in password switches from an identity manager to passwords', async () => {
    await sql`update site set identity_mode = 'identity-manager' where slug = 'harbor'`.execute(
      database().db,
    );
    expect(await run('site', 'set', 'harbor', '--sign-in', 'password')).toMatchObject({
      identityMode: 'password',
    });
    expect(await lastAudit()).toMatchObject({
      action: 'cli.site-set',
      changes: { identityMode: ['identity-manager', 'password'] },
    });
  });

  test('platform grant and revoke change the platform administrators', async () => {
    expect(await run('platform', 'list')).toEqual([]);
    expect(await run('platform', 'grant', email())).toMatchObject({ id: 10, runsPlatform: true });
    expect(await lastAudit()).toMatchObject({ action: 'cli.platform-grant', subject_id: '10' });
    await expect(run('platform', 'grant', email())).rejects.toThrow('already');
    expect(await run('platform', 'list')).toEqual([{ id: 10, email: email() }]);
    expect(await run('platform', 'revoke', email())).toMatchObject({ runsPlatform: false });
    await expect(run('platform', 'revoke', email())).rejects.toThrow('is not a platform administrator');
  });

  test('site set normalizes the dedicated domain and audits only changed properties', async () => {
    const set = (...args: string[]) => run('site', 'set', 'harbor', ...args);
    expect(await set('--dedicated-domain', ' Bücher.Example. ', '--existing-users', 'allow')).toMatchObject({
      slug: 'harbor',
      dedicatedDomain: 'xn--bcher-kva.example',
      existingUsers: 'allow',
    });
    expect(await lastAudit()).toEqual({
      action: 'cli.site-set',
      actor_id: null,
      subject_type: 'site',
      subject_id: '2',
      changes: {
        dedicatedDomain: ['harbor.example', 'xn--bcher-kva.example'],
        mayManageExistingUsers: [false, true],
      },
    });
    await set('--existing-users', 'allow');
    expect(await one(sql`select count(*)::int as n from audit_log where action = 'cli.site-set'`)).toEqual({
      n: 1,
    });
    expect(await set('--no-dedicated-domain', '--existing-users', 'deny')).toMatchObject({
      dedicatedDomain: null,
      existingUsers: 'deny',
    });
    expect(await run('site', 'show', 'harbor')).toMatchObject({
      dedicatedDomain: null,
      name: 'Harbor Partners',
    });
  });

  test('site seats sets and prints the agreed seats, and audits only what changes', async () => {
    const none = { agreed: null, free: null };
    expect(await seats()).toMatchObject([
      { license: 'Standard', ...none },
      { license: 'Limited', ...none },
      { license: 'Free/Complimentary', ...none },
      { license: 'No License', ...none },
    ]);
    const [standard, limited] = (await seats('--standard', '100', '--limited', '0')) as {
      held: number;
      agreed: number;
      free: number;
    }[];
    expect([standard?.agreed, standard?.free]).toEqual([100, 100 - (standard?.held ?? 0)]);
    expect([limited?.agreed, limited?.free]).toEqual([0, 0 - (limited?.held ?? 0)]);
    expect(await lastAudit()).toEqual({
      action: 'cli.site-seats',
      actor_id: null,
      subject_type: 'site',
      subject_id: '1',
      changes: { standardSeats: [null, 100], limitedSeats: [null, 0] },
    });
    await seats('--standard', '100');
    await seats('--standard', '120', '--limited', 'none');
    expect(await one(sql`select count(*)::int as n from audit_log where action = 'cli.site-seats'`)).toEqual({
      n: 2,
    });
    expect(await lastAudit()).toMatchObject({
      changes: { standardSeats: [100, 120], limitedSeats: [0, null] },
    });
    for (const wrong of ['-1', '1.5', 'many', '99999999999'])
      await expect(run('site', 'seats', 'harbor', `--free=${wrong}`)).rejects.toThrow(
        'number of seats from 0',
      );
  });
});
