import type { ApprovedAddresses, ApprovedAddressesInfo } from '../../../contract/generated/types.gen.ts';
import { ACTIVITY_RETENTION_DAYS } from '../../../contract/rules/activity.ts';
import { validateNetwork } from '../../../contract/rules/networks.ts';
import { badRequest, type FieldError } from '../../kernel/api-error.ts';
import { getActor, change, type Recorder } from '../../kernel/audit/change.ts';
import type { Db, Tx } from '../../kernel/db/database.ts';
import { ok, type Call, type Handlers } from '../../kernel/http/handler.ts';
import { formatEtag, requireVersion } from '../../kernel/http/parameters.ts';
import { requireAdministrator } from '../members/index.ts';
import * as store from './addresses.store.ts';

type Operations = 'listApprovedAddresses' | 'updateApprovedAddresses' | 'rehearseApprovedAddresses';
type NewAddress = { network: string; note: string };

const DAY_MS = 24 * 3600_000;
const buildNetworkPath = (index: number) => `addresses.${index}.network`;

export const addressHandlers: Handlers<Operations> = {
  listApprovedAddresses: ({ db, caller, origin }) => respondWithAddresses(db, caller.siteId, origin.ip),

  async updateApprovedAddresses(call) {
    await change(call.db, getActor(call), (tx, record) => updateAddresses(tx, call, record), {
      lockSite: true,
    });
    return respondWithAddresses(call.db, call.caller.siteId, call.origin.ip);
  },

  async rehearseApprovedAddresses({ db, caller, origin, body }) {
    requireNetworks(body.addresses ?? [], (index) => `addresses.${index}`);
    const since = new Date(Date.now() - (body.days ?? ACTIVITY_RETENTION_DAYS) * DAY_MS);
    const { restricted } = await store.readListState(db, caller.siteId, origin.ip);
    const { places, ...counts } = await store.rehearse(db, caller.siteId, {
      networks: body.addresses,
      userIds: body.userIds,
      since,
    });
    return ok({
      fromDate: since.toISOString(),
      ...counts,
      restrictedUsers: restricted,
      places: places.map((place) => ({ ...place, lastDate: place.lastDate.toISOString() })),
    });
  },
};

async function respondWithAddresses(db: Db, siteId: number, ip: string) {
  // Before the list: a tag of a later one would let the next write overwrite what nobody has seen.
  const { isApproved, restricted, version } = await store.readListState(db, siteId, ip);
  const addresses = await store.listAddresses(db, siteId);
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
  return ok(body, { etag: formatEtag(version) });
}

function requireNetworks(networks: readonly string[], path: (index: number) => string): void {
  const errors = networks.flatMap((network, index): FieldError[] => {
    const message = validateNetwork(network);
    return message === undefined ? [] : [{ path: path(index), message }];
  });
  if (errors.length > 0) throw badRequest(errors);
}

/**
 * The requested list in its stored form.
 * @throws ApiError 400 with every invalid or duplicate network
 */
async function normalizeAddresses(tx: Tx, { addresses }: ApprovedAddressesInfo): Promise<NewAddress[]> {
  const requested = addresses.map(({ network }) => network.trim());
  requireNetworks(requested, buildNetworkPath);
  const networks = await store.normalizeNetworks(tx, requested);
  const firstIndex = new Map(networks.map((network, index) => [network, index] as const).toReversed());
  const duplicates = networks.flatMap((network, index): FieldError[] =>
    firstIndex.get(network) === index
      ? []
      : [{ path: buildNetworkPath(index), message: `${network} is in the list already` }],
  );
  if (duplicates.length > 0) throw badRequest(duplicates);
  return networks.map((network, index) => ({ network, note: addresses[index]?.note?.trim() ?? '' }));
}

async function updateAddresses(
  tx: Tx,
  call: Call<'updateApprovedAddresses'>,
  record: Recorder,
): Promise<void> {
  const { siteId, userId } = call.caller;
  const { version } = await store.readListState(tx, siteId, call.origin.ip);
  requireVersion(call.ifMatch, version, 'the list of approved addresses');
  const before = await store.listAddresses(tx, siteId);
  const after = await normalizeAddresses(tx, call.body);
  const networks = after.map(({ network }) => network);
  if (
    (await store.isRestricted(tx, siteId, userId)) &&
    !(await store.containsAddress(tx, networks, call.origin.ip))
  )
    throw badRequest([
      {
        path: 'addresses',
        message: `You have IP restrictions and your address is ${call.origin.ip}: a list without it would lock you out`,
      },
    ]);
  const [oldList, newList] = [before.map(formatAddress), after.map(formatAddress)];
  if (JSON.stringify(oldList) === JSON.stringify(newList.toSorted(compareByPositionIn(oldList)))) return;
  await store.replaceAddresses(tx, siteId, after);
  await requireAdministrator(tx, siteId);
  record({ action: 'site.addresses', subject: ['site', siteId], changes: { addresses: [oldList, newList] } });
}

const formatAddress = ({ network, note }: NewAddress) => (note ? `${network} ${note}` : network);
/** Sorts by position in the old list: a different order of the same addresses is not a change. */
const compareByPositionIn = (list: readonly string[]) => (one: string, other: string) =>
  list.indexOf(one) - list.indexOf(other);
