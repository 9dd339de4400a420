import type { NewUserInfo, UserImportRow, UserImportValues } from '../../../contract/generated/types.gen.ts';
import { NO_LICENSE, STANDARD_LICENSE } from '../../../contract/rules/people/licenses.ts';
import { ApiError, badRequest } from '../../kernel/api-error.ts';
import type { Recorder } from '../../kernel/audit/change.ts';
import type { Caller } from '../../kernel/auth/caller.ts';
import type { Tx } from '../../kernel/db/database.ts';
import { normalizeEmail } from '../../kernel/email.ts';
import type { OperationId } from '../../kernel/http/handler.ts';
import { defineJobKind, type ItemOutcome, type JobBatch } from '../../kernel/jobs/job-kind.ts';
import { pluralize } from '../../kernel/numbers.ts';
import { setLicenses } from '../licenses/index.ts';
import {
  findUserConflict,
  lockAccounts,
  lockUsers,
  requireAdministrator,
  requireAuthorityOver,
  requireCapabilities,
  type ReviewedPlan,
  type StoredUser,
} from '../members/index.ts';
import { getSite, type Site } from '../sites/index.ts';
import { createUser, requireFreeAddress, requireGrantableGroups, requireValidPerson } from './create.ts';
import { removeUser } from './remove.ts';
import { dropIneffectiveFields } from './rules.ts';
import { applyUserUpdate, checkUserUpdate, type UserUpdate, type UserUpdateContext } from './update.ts';
import { IMPORT_LABELS } from './users.store.ts';

/** What applies to all rows of an import. */
interface ImportParameters extends ReviewedPlan {
  fileName: string;
  sheet?: string | undefined;
  /** Rows change how users sign in; the job was started with proof of presence. */
  changesSignIn?: boolean | undefined;
  skipsInvalidRows?: boolean | undefined;
  isUndo?: boolean;
}

/** A row, or in an inverse a user whom the import created. */
type ImportItem = UserImportRow & { isRemoved?: boolean };

/** What a row replaced: the created user, or the values of a changed one. */
interface Replaced extends Pick<
  UserImportRow,
  'userId' | 'set' | 'licenseTypeId' | 'addGroups' | 'removeGroups'
> {
  isRemoved?: boolean;
}

/** The rows of a batch with their locked users. */
interface Batch {
  tx: Tx;
  context: UserUpdateContext;
  parameters: ImportParameters;
  site: Site;
  users: ReadonlyMap<number, StoredUser>;
}

type BatchRequest = Omit<JobBatch<ImportParameters, ImportItem>, 'record'>;

async function loadBatch({ tx, caller, ip, services, parameters, items }: BatchRequest): Promise<Batch> {
  const ids = items.flatMap(({ userId }) => userId ?? []);
  await lockAccounts(tx, ids);
  const users = new Map((await lockUsers(tx, caller.siteId, ids)).map((user) => [user.id, user]));
  const site = await getSite(tx, caller.siteId);
  return { tx, context: { caller, ip, publicUrl: services.publicUrl }, parameters, site, users };
}

/** What a row changes; the service has checked it. */
type RowChange =
  | { type: 'create'; info: NewUserInfo; licenseTypeId: number | undefined }
  | { type: 'update'; update: UserUpdate; licenseTypeId: number | undefined }
  | { type: 'remove'; user: StoredUser };

/**
 * Checks a row without writing it. Returns an outcome for a row that changes nothing, or whose user is not as reviewed any more.
 * @throws ApiError for a row that is not valid or not allowed
 */
function checkRow(batch: Batch, item: ImportItem): Promise<RowChange | ItemOutcome> {
  return item.userId === undefined ? checkNewUser(batch, item) : checkExistingUser(batch, item, item.userId);
}

const REQUIRED = ['email', 'firstName', 'lastName'] as const;

async function checkNewUser(
  { tx, context, site }: Batch,
  { set = {}, addGroups = [], licenseTypeId }: ImportItem,
): Promise<RowChange> {
  const { caller } = context;
  requireCapabilities(caller.capabilities, ['Manage Users'], 'Creating a user');
  const { email, firstName, lastName } = set;
  if (email === undefined || firstName === undefined || lastName === undefined)
    throw badRequest(
      REQUIRED.filter((path) => set[path] === undefined).map((path) => ({ path, message: 'is required' })),
    );
  const isOtherLicense = licenseTypeId !== undefined && licenseTypeId !== STANDARD_LICENSE;
  if (isOtherLicense) requireLicenseCapability(caller);
  const info: NewUserInfo = dropIneffectiveFields(
    {
      email,
      firstName,
      lastName,
      isActive: set.isActive,
      twoFactorEnabled: set.twoFactorEnabled,
      ipRestrictionsEnabled: set.ipRestrictionsEnabled,
      timeZone: set.timeZone ?? undefined,
      federationId: set.federationId ?? undefined,
      groups: addGroups,
    },
    site.identityMode,
  );
  requireValidPerson(info);
  await requireGrantableGroups(tx, caller, [...new Set(addGroups)]);
  await requireFreeAddress(tx, caller.siteId, email);
  return { type: 'create', info, licenseTypeId: isOtherLicense ? licenseTypeId : undefined };
}

const requireLicenseCapability = (caller: Caller): void =>
  requireCapabilities(caller.capabilities, ['Manage Licences'], 'Changing a license');

async function checkExistingUser(
  { tx, context, parameters, site, users }: Batch,
  item: ImportItem,
  userId: number,
): Promise<RowChange | ItemOutcome> {
  const { caller } = context;
  const { set, addGroups = [], removeGroups = [] } = item;
  const before = users.get(userId);
  const conflict = findUserConflict(before, parameters);
  if (!before || conflict !== undefined) return { state: 'conflict', reason: conflict ?? '' };
  if (item.isRemoved) {
    await requireAuthorityOver(tx, caller, userId, 'Removing this user');
    return { type: 'remove', user: before };
  }
  if (set) requireCapabilities(caller.capabilities, ['Manage Users'], 'Changing a user');
  const groups = [...before.groups.filter((id) => !removeGroups.includes(id)), ...addGroups];
  const body = { ...set, id: userId, ...(addGroups.length + removeGroups.length > 0 && { groups }) };
  const update = await checkUserUpdate(tx, context, body, { before, site });
  const changed = Object.entries(update.info).flatMap(([name, value]) => (value === undefined ? [] : name));
  const licenseTypeId = item.licenseTypeId === before.licenseTypeId ? undefined : item.licenseTypeId;
  if (changed.length === 0 && licenseTypeId === undefined) return { state: 'unchanged' };
  const different = findDifferences(before, item, changed);
  if (different.length > 0)
    return {
      state: 'conflict',
      reason: `Someone else changed this user in the meantime: ${different.join(', ')}`,
    };
  if (licenseTypeId !== undefined) {
    requireLicenseCapability(caller);
    if (licenseTypeId === NO_LICENSE)
      await requireAuthorityOver(tx, caller, userId, 'Revoking the license of this user');
  }
  return { type: 'update', update, licenseTypeId };
}

/** Names of the properties that the row changes and that no longer have the value that was reviewed. */
function findDifferences(
  before: StoredUser,
  { expected = {}, expectedLicenseTypeId, licenseTypeId }: ImportItem,
  changed: readonly string[],
): string[] {
  const values: UserImportValues = expected;
  const names = (Object.keys(values) as (keyof UserImportValues)[]).filter(
    (name) => changed.includes(name) && (values[name] ?? '') !== (before[name] ?? ''),
  );
  const isOtherLicense =
    licenseTypeId !== undefined &&
    expectedLicenseTypeId !== undefined &&
    before.licenseTypeId !== licenseTypeId &&
    before.licenseTypeId !== expectedLicenseTypeId;
  return [...names, ...(isOtherLicense ? ['licenseTypeId'] : [])];
}

/** Writes a checked row. @throws ApiError 409 if no administrator would remain */
async function writeRow(batch: Batch, change: RowChange, record: Recorder): Promise<ItemOutcome> {
  const { tx, context, site } = batch;
  const { caller } = context;
  if (change.type === 'remove') {
    await removeUser(tx, caller.siteId, change.user, record);
    await requireAdministrator(tx, caller.siteId);
    return { state: 'done' };
  }
  const { licenseTypeId } = change;
  if (change.type === 'create') {
    const user = await createUser(tx, context, { info: change.info, passwordHash: null, site }, record);
    if (licenseTypeId !== undefined) await setLicenses(tx, caller, [{ user, licenseTypeId }], record);
    const before: Replaced = { userId: user.id, isRemoved: true };
    return { state: 'done', before };
  }
  const user = await applyUserUpdate(tx, context, change.update, record);
  if (licenseTypeId !== undefined) await setLicenses(tx, caller, [{ user, licenseTypeId }], record);
  return { state: 'done', before: getReplaced(change.update, licenseTypeId) };
}

/** Properties that can be restored; two switches cannot be turned off (spec 3). */
const RESTORABLE = ['email', 'firstName', 'lastName', 'federationId', 'isActive', 'timeZone'] as const;

function getReplaced({ before, info }: UserUpdate, licenseTypeId: number | undefined): Replaced {
  const changed = RESTORABLE.filter((name) => info[name] !== undefined);
  const { groups } = info;
  return {
    ...(changed.length > 0 && { set: Object.fromEntries(changed.map((name) => [name, before[name]])) }),
    ...(licenseTypeId !== undefined && { licenseTypeId: before.licenseTypeId }),
    ...(groups && {
      addGroups: before.groups.filter((id) => !groups.includes(id)),
      removeGroups: groups.filter((id) => !before.groups.includes(id)),
    }),
  };
}

/** Why a row was refused: the message, or all errors with the names of their properties. */
const describeRefusal = ({ message, fields }: ApiError): string =>
  fields.length > 1 ? fields.map((field) => `${field.path}: ${field.message}`).join('. ') : message;

/** Runs the check of a row; a refusal becomes its outcome. Other errors are not the row's. */
async function tryRow<T>(check: () => Promise<T>): Promise<T | ItemOutcome> {
  try {
    return await check();
  } catch (error) {
    if (error instanceof ApiError && error.status < 500)
      return { state: 'failed', reason: describeRefusal(error) };
    throw error;
  }
}

/** Finds rows that mean the same user or address as an earlier row. */
function createDuplicateFinder(): (item: ImportItem) => string | undefined {
  const rows = new Map<string, number>();
  const findOther = (key: string, row: number): number | undefined => {
    const other = rows.get(key);
    if (other === undefined) rows.set(key, row);
    return other;
  };
  return ({ row, userId, set }) => {
    const sameUser = userId === undefined ? undefined : findOther(`#${userId}`, row);
    if (sameUser !== undefined) return `The same user is in row ${sameUser}`;
    const sameAddress =
      set?.email === undefined ? undefined : findOther(`@${normalizeEmail(set.email).key}`, row);
    return sameAddress === undefined ? undefined : `email: ${set?.email} is also in row ${sameAddress}`;
  };
}

/** Restoring these values requires proof of presence, as removing a user. */
const needsProof = ({ isRemoved, set }: Replaced): boolean =>
  isRemoved === true || set?.email !== undefined || set?.federationId !== undefined;

/** A kind that changes users row by row; `operation` is what its owner must be allowed to do. */
const defineImport = (kind: string, operation: OperationId) =>
  defineJobKind<ImportParameters, ImportItem>({
    kind,
    operation,
    itemSchema: 'UserImportRow',
    labels: IMPORT_LABELS,
    describe(_context, { fileName, sheet, isUndo }, items) {
      const file = sheet === undefined ? fileName : `${fileName}, sheet “${sheet}”`;
      const people = pluralize(items.length, 'person', 'people');
      return isUndo ? `Undo the import of ${people} from ${file}` : `Import ${people} from ${file}`;
    },
    // Rows may deactivate users and change their groups.
    locksSite: () => true,
    startCheck({ skipsInvalidRows = false }) {
      const findDuplicate = createDuplicateFinder();
      return {
        skipsInvalid: skipsInvalidRows,
        async run(request) {
          const batch = await loadBatch(request);
          const reasons: (string | undefined)[] = [];
          for (const item of request.items) {
            const duplicate = findDuplicate(item);
            const checked = duplicate === undefined ? await tryRow(() => checkRow(batch, item)) : undefined;
            const isFailed = checked && 'state' in checked && checked.state === 'failed';
            reasons.push(duplicate ?? (isFailed ? checked.reason : undefined));
          }
          return reasons;
        },
      };
    },
    async run({ record, ...request }) {
      const batch = await loadBatch(request);
      const outcomes: ItemOutcome[] = [];
      for (const item of request.items) {
        // One after the other: a row may take the address that the one before it gave up.
        const checked = await tryRow(() => checkRow(batch, item));
        outcomes.push('state' in checked ? checked : await writeRow(batch, checked, record));
      }
      return outcomes;
    },
    invert({ fileName, sheet }, done) {
      const items = done
        .map(({ input, before }) => ({ row: input.row, userId: input.userId, ...(before as Replaced) }))
        .filter(({ row: _row, userId: _userId, ...restored }) => Object.keys(restored).length > 0);
      if (done.length > 0 && items.length === 0) return undefined;
      return {
        kind: items.some(needsProof) ? 'users.import-undo' : 'users.import',
        parameters: { fileName, sheet, isUndo: true, skipsInvalidRows: true },
        items,
      };
    },
    // One row that needs the rights of a removal is enough.
    joinInverses: (one, other) => (one.kind === 'users.import-undo' ? one : other),
  });

/** Job that creates and changes users as the rows of a file say. */
export const importUsersJob = defineImport('users.import', 'startUserImport');

/** Job that undoes an import which created users or changed how they sign in: it needs what removing users needs. */
export const undoImportJob = defineImport('users.import-undo', 'startUserRemovals');
