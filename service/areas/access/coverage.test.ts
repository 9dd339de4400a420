import { expect, test } from 'vitest';
import type { TwoFactorCoverage } from '../../../contract/generated/types.gen.ts';
import { as, makePerson, makeSite, onEachApp, type Person } from '../../testing/site.ts';

const PATH = '/api/rest/v1/management/settings/two-factor';

onEachApp((context) => {
  /** Sets whether the site requires a second factor of the user, and whether the user has one. */
  const setFactors = async ({ siteId, userId }: Person, required: boolean, setUp: boolean) => {
    const { db } = context();
    await db
      .updateTable('membership')
      .set({ two_factor_enabled: required })
      .where('site_id', '=', siteId)
      .where('user_id', '=', userId)
      .execute();
    await db.updateTable('account').set({ second_factor: setUp }).where('user_id', '=', userId).execute();
  };

  test('counts every active user once and lists those without a required factor and administrators without one', async () => {
    const { db, app } = context();
    const siteId = await makeSite(db);
    const administrator = await makePerson(db, siteId);
    const [both, required, optional, none, inactive] = [
      await makePerson(db, siteId, { capabilities: [] }),
      await makePerson(db, siteId, { capabilities: ['Read Data'] }),
      await makePerson(db, siteId, { capabilities: [] }),
      await makePerson(db, siteId, { capabilities: ['Read Data'] }),
      await makePerson(db, siteId, { capabilities: [] }),
    ];
    await setFactors(administrator, false, false);
    await setFactors(both, true, true);
    await setFactors(required, true, false);
    await setFactors(optional, false, true);
    await setFactors(none, false, false);
    await setFactors(inactive, true, false);
    await db
      .updateTable('membership')
      .set({ is_active: false })
      .where('user_id', '=', inactive.userId)
      .execute();
    // Users of another site are not counted.
    await setFactors(await makePerson(db, await makeSite(db)), true, false);

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
