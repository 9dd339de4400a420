/**
 * Property test of acting: random assignments, deactivations, licenses, capabilities, starts, ends and requests,
 * compared with a model (T06).
 */
import { array, assert, asyncProperty, constant, nat, oneof, subarray, tuple } from 'fast-check';
import { expect, test } from 'vitest';
import type { Capability, Session } from '../../../contract/generated/types.gen.ts';
import { getActingCapabilities } from '../../../contract/rules/people/proxies.ts';
import type { ApiClient } from '../../testing/calls.ts';
import {
  as,
  makePerson,
  makeSite,
  makeToken,
  onEachApp,
  openSession,
  type Person,
} from '../../testing/site.ts';

/** Both databases run the same property with their own random input at each run. */
const RUNS = { postgres: 12, embedded: 6 };
/** Few people, so that actions on the same pair are frequent. */
const PEOPLE = 3;
const CAPABILITIES: readonly Capability[] = [
  'Access Web Service',
  'View Activity',
  'Read Data',
  'Manage Users',
];

/** A user in the model. */
interface Modelled {
  active: boolean;
  licensed: boolean;
  held: ReadonlySet<Capability>;
  /** The principal for whom the session acts, as far as the model knows. */
  actsFor: number | undefined;
}

class Model {
  readonly people: Modelled[] = Array.from({ length: PEOPLE }, () => ({
    active: true,
    licensed: true,
    held: new Set(CAPABILITIES),
    actsFor: undefined,
  }));
  readonly assigned = new Set<string>();

  getPerson(at: number): Modelled {
    const person = this.people[at];
    if (!person) throw new Error('Unknown index');
    return person;
  }

  /** Whether the user can sign in. */
  canSignIn(at: number): boolean {
    return this.getPerson(at).active && this.getPerson(at).licensed;
  }

  mayActFor(proxy: number, principal: number): boolean {
    return this.assigned.has(`${proxy}:${principal}`) && this.canSignIn(proxy) && this.canSignIn(principal);
  }

  /** Capabilities of a user: while acting only those that the principal passes on. */
  can(at: number, principal: number | undefined): ReadonlySet<Capability> {
    return principal === undefined
      ? this.getPerson(at).held
      : getActingCapabilities(this.getPerson(principal).held);
  }

  /** Ends acting that is no longer allowed, and returns whether it did. */
  endInvalidActing(at: number): boolean {
    const { actsFor } = this.getPerson(at);
    const lapsed = actsFor !== undefined && !this.mayActFor(at, actsFor);
    if (lapsed) this.getPerson(at).actsFor = undefined;
    return lapsed;
  }
}

/** The real users; credentials are created again after the service has deleted them. */
interface World {
  model: Model;
  admin: ApiClient;
  persons: Person[];
  program(at: number): ApiClient;
  console(at: number): ApiClient;
  renewCredentials(at: number): Promise<void>;
}

/** An action: performs a request and returns the actual and the expected result. */
type Action = (world: World) => Promise<{ actual: unknown; expected: unknown }>;

const someone = nat({ max: PEOPLE - 1 });
/** Users are active and assignments exist two thirds of the time. */
const mostlyTrue = oneof({ weight: 2, arbitrary: constant(true) }, { weight: 1, arbitrary: constant(false) });
const getUserId = (world: World, at: number) => world.persons[at]?.userId ?? 0;
const canListUsers = (can: ReadonlySet<Capability>) => can.has('View Activity') || can.has('Manage Users');

const changeAssignment = tuple(someone, someone, mostlyTrue).map(
  ([proxy, user, add]): Action =>
    async (world) => {
      const pair = { proxyUserId: getUserId(world, proxy), userId: getUserId(world, user) };
      const { status: actual } = await world.admin.post('user/proxy/changes', {
        [add ? 'add' : 'remove']: [pair],
      });
      const key = `${proxy}:${user}`;
      const { assigned } = world.model;
      const fits =
        proxy !== user && world.model.getPerson(proxy).active && world.model.getPerson(user).active;
      // Adding an existing assignment changes nothing and is not validated again.
      const expected = !add || fits || assigned.has(key) ? 204 : 400;
      if (!add) assigned.delete(key);
      else if (fits) assigned.add(key);
      return { actual, expected };
    },
);

/** Users lose sessions and tokens when they lose access, and get new ones when it is restored. */
async function changeAccess(world: World, at: number, change: Partial<Modelled>): Promise<void> {
  const wasIn = world.model.canSignIn(at);
  Object.assign(world.model.getPerson(at), change);
  if (!world.model.canSignIn(at)) world.model.getPerson(at).actsFor = undefined;
  else if (!wasIn) await world.renewCredentials(at);
}

const setActive = tuple(someone, mostlyTrue).map(([at, active]): Action => async (world) => {
  const { status: actual } = await world.admin.put('user', { id: getUserId(world, at), isActive: active });
  await changeAccess(world, at, { active });
  return { actual, expected: 200 };
});

const setLicense = tuple(someone, mostlyTrue).map(([at, licensed]): Action => async (world) => {
  const body = { userId: getUserId(world, at), licenseTypeId: licensed ? 1 : 4 };
  const { status: actual } = await world.admin.put('userLicense', body);
  await changeAccess(world, at, { licensed });
  return { actual, expected: 200 };
});

const setCapabilities = tuple(someone, subarray([...CAPABILITIES])).map(
  ([at, held]): Action =>
    async (world) => {
      const path = `user/group/${world.persons[at]?.groupId}`;
      const { status: actual } = await world.admin.put(path, { capabilities: held });
      world.model.getPerson(at).held = new Set(held);
      return { actual, expected: 200 };
    },
);

const startActing = tuple(someone, someone).map(([proxy, user]): Action => async (world) => {
  const { model } = world;
  const body = { userId: getUserId(world, user), reason: 'Because' };
  const { status: actual } = await world.console(proxy).put('/api/session/acting', body);
  if (!model.canSignIn(proxy)) return { actual, expected: 401 };
  if (model.endInvalidActing(proxy)) return { actual, expected: 403 };
  if (model.getPerson(proxy).actsFor !== undefined) return { actual, expected: 409 };
  if (!model.mayActFor(proxy, user)) return { actual, expected: 403 };
  model.getPerson(proxy).actsFor = user;
  return { actual, expected: 200 };
});

const stopActing = someone.map((at): Action => async (world) => {
  const { model } = world;
  const { status: actual } = await world.console(at).del('/api/session/acting');
  model.endInvalidActing(at);
  const { actsFor } = model.getPerson(at);
  model.getPerson(at).actsFor = undefined;
  return { actual, expected: !model.canSignIn(at) ? 401 : actsFor === undefined ? 409 : 200 };
});

const readSession = someone.map((at): Action => async (world) => {
  const { model } = world;
  const { status, body } = await world.console(at).get<Session>('/api/session');
  if (!model.canSignIn(at)) return { actual: status, expected: 401 };
  model.endInvalidActing(at);
  const { actsFor } = model.getPerson(at);
  return {
    actual: { status, principal: body.acting?.principal.id, capabilities: new Set(body.capabilities) },
    expected: {
      status: 200,
      principal: actsFor === undefined ? undefined : getUserId(world, actsFor),
      capabilities: model.can(at, actsFor),
    },
  };
});

const listUsers = someone.map((at): Action => async (world) => {
  const { model } = world;
  const { status: actual } = await world.console(at).get('user');
  if (!model.canSignIn(at)) return { actual, expected: 401 };
  if (model.endInvalidActing(at)) return { actual, expected: 403 };
  return { actual, expected: canListUsers(model.can(at, model.getPerson(at).actsFor)) ? 200 : 403 };
});

const listUsersAsPrincipal = tuple(someone, someone).map(([proxy, user]): Action => async (world) => {
  const { model } = world;
  const headers = { 'as-user': String(getUserId(world, user)) };
  const { status: actual } = await world.program(proxy).get('user', { headers });
  if (!model.canSignIn(proxy)) return { actual, expected: 401 };
  if (!model.getPerson(proxy).held.has('Access Web Service')) return { actual, expected: 403 };
  if (!model.mayActFor(proxy, user)) return { actual, expected: 401 };
  const can = model.can(proxy, user);
  return { actual, expected: can.has('Access Web Service') && canListUsers(can) ? 200 : 403 };
});

const actions = array(
  oneof(
    { weight: 4, arbitrary: changeAssignment },
    { weight: 2, arbitrary: setActive },
    { weight: 2, arbitrary: setLicense },
    { weight: 1, arbitrary: setCapabilities },
    { weight: 4, arbitrary: startActing },
    { weight: 1, arbitrary: stopActing },
    { weight: 2, arbitrary: readSession },
    { weight: 4, arbitrary: listUsers },
    { weight: 4, arbitrary: listUsersAsPrincipal },
  ),
  { minLength: 60, maxLength: 100 },
);

onEachApp((context) => {
  async function createWorld(): Promise<World> {
    const { db, app } = context();
    const siteId = await makeSite(db);
    const admin = as(app, await makePerson(db, siteId));
    const persons = await Promise.all(
      Array.from({ length: PEOPLE }, () => makePerson(db, siteId, { capabilities: CAPABILITIES })),
    );
    const at = (index: number): Person => {
      const person = persons[index];
      if (!person) throw new Error('Unknown index');
      return person;
    };
    return {
      model: new Model(),
      admin,
      persons,
      program: (index) => as(app, at(index)),
      console: (index) => as(app, at(index), 'console'),
      async renewCredentials(index) {
        const person = at(index);
        person.token = await makeToken(db, person);
        person.cookie = await openSession(db, siteId, person.userId);
      },
    };
  }

  test('every response of the service matches the model', { timeout: 120_000 }, async () => {
    const property = asyncProperty(actions, async (list) => {
      const world = await createWorld();
      for (const action of list) {
        // The order of actions matters.
        const { actual, expected } = await action(world);
        expect(actual).toEqual(expected);
      }
    });
    await assert(property, { numRuns: RUNS[context().database.kind], endOnFailure: true });
  });
});
