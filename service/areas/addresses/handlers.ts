import type { ApprovedAddresses, ApprovedAddressesInfo } from '../../../contract/generated/types.gen.ts';
import { ACTIVITY_DAYS } from '../../../contract/rules/activity.ts';
import { networkFault } from '../../../contract/rules/networks.ts';
import { actorOf, change, type Recorder } from '../../kernel/change.ts';
import type { Db, Tx } from '../../kernel/db/database.ts';
import { invalid, type FieldError } from '../../kernel/http/errors.ts';
import { etagOf, requireVersion } from '../../kernel/http/etag.ts';
import { ok, type Call, type Handlers } from '../../kernel/http/handler.ts';
import { requireAdministrator } from '../members/index.ts';
import { rehearse } from './rehearsal.store.ts';
import * as store from './store.ts';

type Operations = 'listApprovedAddresses' | 'updateApprovedAddresses' | 'rehearseApprovedAddresses';
type Listed = { network: string; note: string };

const DAY = 24 * 3600_000;
const pathOf = (index: number) => `addresses.${index}.network`;

export const addressHandlers: Handlers<Operations> = {
  listApprovedAddresses: ({ db, caller, origin }) => listed(db, caller.siteId, origin.ip),

  async updateApprovedAddresses(call) {
    await change(call.db, actorOf(call), (tx, record) => update(tx, call, record), { alone: true });
    return listed(call.db, call.caller.siteId, call.origin.ip);
  },

  async rehearseApprovedAddresses({ db, caller, origin, body }) {
    requireNetworks(body.addresses, (index) => `addresses.${index}`);
    const since = new Date(Date.now() - ACTIVITY_DAYS * DAY);
    const { restricted } = await store.standing(db, caller.siteId, origin.ip);
    const { places, ...counts } = await rehearse(db, caller.siteId, { networks: body.addresses, since });
    return ok({
      fromDate: since.toISOString(),
      ...counts,
      restrictedUsers: restricted,
      places: places.map((place) => ({ ...place, lastDate: place.lastDate.toISOString() })),
    });
  },
};

async function listed(db: Db, siteId: number, ip: string) {
  const [addresses, { isApproved, restricted, version }] = await Promise.all([
    store.listAddresses(db, siteId),
    store.standing(db, siteId, ip),
  ]);
  const body: ApprovedAddresses = {
    addresses: addresses.map(({ network, note, createdAt }) => ({
      network,
      note,
      createdDate: createdAt.toISOString(),
    })),
    yourAddress: ip,
    isYourAddressApproved: isApproved,
    restrictedUsers: restricted,
  };
  return ok(body, { etag: etagOf(version) });
}

function requireNetworks(networks: readonly string[], path: (index: number) => string): void {
  const faults = networks.flatMap((network, index): FieldError[] => {
    const message = networkFault(network);
    return message === undefined ? [] : [{ path: path(index), message }];
  });
  if (faults.length > 0) throw invalid(faults);
}

/** The list as it will be stored. @throws ApiError 400 with every network that is none or stands twice */
async function wanted(tx: Tx, { addresses }: ApprovedAddressesInfo): Promise<Listed[]> {
  const given = addresses.map(({ network }) => network.trim());
  requireNetworks(given, pathOf);
  const networks = await store.canonical(tx, given);
  const first = new Map(networks.map((network, index) => [network, index] as const).toReversed());
  const twice = networks.flatMap((network, index): FieldError[] =>
    first.get(network) === index
      ? []
      : [{ path: pathOf(index), message: `${network} is in the list already` }],
  );
  if (twice.length > 0) throw invalid(twice);
  return networks.map((network, index) => ({ network, note: addresses[index]?.note?.trim() ?? '' }));
}

async function update(tx: Tx, call: Call<'updateApprovedAddresses'>, record: Recorder): Promise<void> {
  const { siteId, userId } = call.caller;
  const { version } = await store.standing(tx, siteId, call.origin.ip);
  requireVersion(call.ifMatch, version, 'The list of approved addresses');
  const before = await store.listAddresses(tx, siteId);
  const after = await wanted(tx, call.body);
  const networks = after.map(({ network }) => network);
  if ((await store.isRestricted(tx, siteId, userId)) && !(await store.holds(tx, networks, call.origin.ip)))
    throw invalid([
      {
        path: 'addresses',
        message: `You have IP restrictions and come from ${call.origin.ip}: without it you would lock yourself out`,
      },
    ]);
  const [was, is] = [before.map(told), after.map(told)];
  if (JSON.stringify(was) === JSON.stringify(is.toSorted(asListed(was)))) return;
  await store.replaceAddresses(tx, siteId, after);
  await requireAdministrator(tx, siteId);
  record({ action: 'site.addresses', subject: ['site', siteId], changes: { addresses: [was, is] } });
}

const told = ({ network, note }: Listed) => (note ? `${network} ${note}` : network);
/** The order of the old list: another order of the same addresses is no change. */
const asListed = (was: readonly string[]) => (one: string, other: string) =>
  was.indexOf(one) - was.indexOf(other);
