import { expect, test } from 'vitest';
import type { TwoFactorCoverage } from '../../../contract/generated/types.gen.ts';
import { as, makePerson, makeSite, onEachApp, type Person } from '../../testing/site.ts';

const PATH = '/api/rest/v1/management/settings/two-factor';

onEachApp((house) => {
  /** Sets what the site asks for and what the person has. */
  const mark = async ({ siteId, userId }: Person, required: boolean, setUp: boolean) => {
    const { db } = house();
    await db
      .updateTable('membership')
      .set({ two_factor_enabled: required })
      .where('site_id', '=', siteId)
      .where('user_id', '=', userId)
      .execute();
    await db.updateTable('account').set({ second_factor: setUp }).where('user_id', '=', userId).execute();
  };

  test('every active user is counted once, and who stands out is named', async () => {
    const { db, app } = house();
    const siteId = await makeSite(db);
    const administrator = await makePerson(db, siteId);
    const [both, required, optional, none, gone] = [
      await makePerson(db, siteId, { capabilities: [] }),
      await makePerson(db, siteId, { capabilities: ['Read Data'] }),
      await makePerson(db, siteId, { capabilities: [] }),
      await makePerson(db, siteId, { capabilities: ['Read Data'] }),
      await makePerson(db, siteId, { capabilities: [] }),
    ];
    await mark(administrator, false, false);
    await mark(both, true, true);
    await mark(required, true, false);
    await mark(optional, false, true);
    await mark(none, false, false);
    await mark(gone, true, false);
    await db.updateTable('membership').set({ is_active: false }).where('user_id', '=', gone.userId).execute();
    // Somebody of another site is nobody here.
    await mark(await makePerson(db, await makeSite(db)), true, false);

    const { status, body } = await as(app, administrator, 'program').get<TwoFactorCoverage>(PATH);
    expect(status).toBe(200);
    const { people, ...counts } = body;
    expect(counts).toEqual({
      requiredSetUp: 1,
      requiredNotSetUp: 1,
      optionalSetUp: 1,
      optionalNotSetUp: 2,
      administratorsNotSetUp: 1,
    });
    expect(
      people.map(({ userId, twoFactorEnabled, isAdministrator }) => [
        userId,
        twoFactorEnabled,
        isAdministrator,
      ]),
    ).toEqual([
      [required.userId, true, false],
      [administrator.userId, false, true],
    ]);
  });
});
