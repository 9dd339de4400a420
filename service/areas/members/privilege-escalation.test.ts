/** Property test: no sequence of actions gives an actor more capabilities than they had (T05). */
import {
  array,
  assert,
  asyncProperty,
  constantFrom,
  nat,
  record,
  subarray,
  type Arbitrary,
} from 'fast-check';
import { expect, test } from 'vitest';
import type { Capability } from '../../../contract/generated/types.gen.ts';
import { loadCapabilities } from '../../kernel/auth/callers.store.ts';
import { withTransaction } from '../../kernel/db/database.ts';
import type { ApiClient, Reply } from '../../testing/calls.ts';
import {
  as,
  allCapabilities,
  makeGroup,
  makePerson,
  makeSite,
  onEachApp,
  type Person,
} from '../../testing/site.ts';

const RUNS = 12;
const PEOPLE = 4;

interface Model {
  people: number[];
  groups: number[];
  /** Accounts that the actor can sign in as, because the actor receives their password mail. */
  owned: Set<number>;
}

const pick = (from: readonly number[], at: number) => from[at % from.length] ?? 0;

/** Arguments of one attempt, chosen among the users and groups of the model. */
interface Choice {
  model: Model;
  id: number;
  groupId: number;
  groups: number[];
  capabilities: Capability[];
  email: string;
}

/** Actions that the actor may attempt. */
const actions: Record<string, (api: ApiClient, choice: Choice) => Promise<Reply<unknown>>> = {
  async create(api, { model, email, groups }) {
    const reply = await api.post<number>('user', { email, firstName: 'A', lastName: 'B', groups });
    if (reply.status === 200) {
      model.people.push(reply.body);
      model.owned.add(reply.body);
    }
    return reply;
  },
  async email(api, { model, id, email }) {
    const reply = await api.put('user', { id, email });
    if (reply.status === 200) model.owned.add(id);
    return reply;
  },
  async newGroup(api, { model, email, capabilities }) {
    const reply = await api.post<number>('user/group', { name: email, capabilities });
    if (reply.status === 200) model.groups.push(reply.body);
    return reply;
  },
  groups: (api, { id, groups }) => api.put('user', { id, groups }),
  assign: (api, { id, groups, groupId }) =>
    api.put('user/group', [{ userIds: [id], groupIds: [groupId, ...groups] }]),
  unassign: (api, { id, groups, groupId }) =>
    api.del('user/group', [{ userIds: [id], groupIds: [groupId, ...groups] }]),
  editGroup: (api, { groupId, capabilities }) => api.put(`user/group/${groupId}`, { capabilities }),
  deleteGroup: (api, { groupId }) => api.del(`user/group/${groupId}`),
  license: (api, { id, groupId }) => api.put('userLicense', { userId: id, licenseTypeId: 1 + (groupId % 3) }),
  remove: (api, { id }) => api.del(`user/${id}`),
  reactivate: (api, { id }) => api.put('user', { id, isActive: true }),
};

const attempt = record({
  action: constantFrom(...Object.keys(actions)),
  userIndex: nat(),
  groupIndexes: array(nat(), { maxLength: 3 }),
  capabilities: subarray([...allCapabilities]),
});
type Attempt = typeof attempt extends Arbitrary<infer T> ? T : never;

function perform(
  api: ApiClient,
  model: Model,
  { action, userIndex, groupIndexes, capabilities }: Attempt,
): Promise<Reply<unknown>> {
  const act = actions[action];
  if (!act) throw new Error(`${action} is not an action`);
  return act(api, {
    model,
    id: pick(model.people, userIndex),
    groupId: pick(model.groups, userIndex),
    groups: groupIndexes.map((at) => pick(model.groups, at)),
    capabilities,
    email: `${crypto.randomUUID()}@mine.test`,
  });
}

const someone = subarray([...allCapabilities]);
const managers = subarray<Capability>(
  ['Manage Users', 'Manage Groups', 'Manage Licences', 'Manage Settings', 'Read Data'],
  { minLength: 1 },
);

onEachApp((context) => {
  const readCapabilities = (siteId: number, userId: number) =>
    withTransaction(
      context().db,
      {},
      async (tx) => (await loadCapabilities(tx, siteId, [userId])).get(userId) ?? new Set<Capability>(),
    );

  /** Creates a site with an administrator, users with the drawn capabilities, and the actor. */
  async function createScenario(
    sets: readonly (readonly Capability[])[],
    actors: readonly Capability[],
  ): Promise<{ actor: Person; model: Model }> {
    const { db } = context();
    const siteId = await makeSite(db);
    const administrator = await makePerson(db, siteId);
    const people: Person[] = [];
    for (const capabilities of sets) people.push(await makePerson(db, siteId, { capabilities }));
    const actor = await makePerson(db, siteId, { capabilities: [...actors, 'Access Web Service'] });
    const all = [actor, administrator, ...people];
    const groups = [...all.map(({ groupId }) => groupId), await makeGroup(db, siteId, ['Manage Backups'])];
    return { actor, model: { people: all.map(({ userId }) => userId), groups, owned: new Set() } };
  }

  test('neither the actor nor an account the actor controls gains capabilities', async () => {
    let successCount = 0;
    await assert(
      asyncProperty(
        array(someone, { minLength: PEOPLE, maxLength: PEOPLE }),
        managers,
        array(attempt, { minLength: 20, maxLength: 30 }),
        async (sets, actors, attempts) => {
          const { actor, model } = await createScenario(sets, actors);
          const first = await readCapabilities(actor.siteId, actor.userId);
          let before = first;
          const api = as(context().app, actor);
          for (const each of attempts) {
            const { status } = await perform(api, model, each);
            expect(status).toBeLessThan(500);
            if (status === 200) successCount += 1;
            const after = await readCapabilities(actor.siteId, actor.userId);
            expect([...after].filter((capability) => !before.has(capability))).toEqual([]);
            before = after;
          }
          for (const userId of model.owned) {
            expect(
              [...(await readCapabilities(actor.siteId, userId))].filter(
                (capability) => !first.has(capability),
              ),
            ).toEqual([]);
          }
        },
      ),
      { numRuns: RUNS },
    );
    // The property would be meaningless if every attempt were refused.
    expect(successCount).toBeGreaterThan(RUNS);
  });
});
