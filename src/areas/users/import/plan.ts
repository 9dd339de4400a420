import type { NewUserInfo, UserInfo } from '../../../../contract/generated/types.gen.ts';
import { getBillableChange, STANDARD_LICENSE } from '../../../../contract/rules/people/licenses.ts';
import type { RowError, FieldChange } from '../../../files/import-plan/plan.ts';
import { quoteExcerpt } from '../../../files/table/cell-values.ts';
import type { Field } from './fields.ts';
import type { GroupLookup } from './parse-row.ts';

/** User of the site, with the fields that an import compares. */
export interface KnownUser {
  id: number;
  email: string;
  firstName: string;
  lastName: string;
  isActive: boolean;
  licenseTypeId: number | undefined;
  groups: readonly number[];
  twoFactor: boolean;
  approvedAddresses: boolean;
  /** Null when the zone of the site applies. */
  timeZone: string | null;
  /** Set only if it was read separately: the directory does not hold it. */
  federationId?: string | undefined;
}

/** Requests that a row needs (spec 4.2); license and groups of existing users are separate requests. */
export interface RowWork {
  create?: NewUserInfo;
  update?: UserInfo;
  /** Values of the fields of `update` when the row was planned. */
  before?: Partial<UserInfo>;
  licenseTypeId?: number;
  /** License when the row was planned; undefined for new users. */
  licenseBefore?: number | undefined;
  addGroups?: readonly number[];
  removeGroups?: readonly number[];
}

/** Reason why an operation is not allowed; undefined if it is. */
export type MissingCapabilities = Readonly<
  Record<'create' | 'update' | 'license' | 'assign' | 'unassign', string | undefined>
>;

/** Options of an import. */
export interface ImportOptions {
  /** `add`: groups of the file are added; `exact`: other groups are removed. */
  groups: 'add' | 'exact';
}

/** All users of the site by id and e-mail key. */
export interface KnownUsers {
  byId: ReadonlyMap<number, KnownUser>;
  byEmail: ReadonlyMap<string, KnownUser>;
}

/** Facts that rows are checked against. */
export interface CheckContext {
  people: KnownUsers;
  groupLookup: GroupLookup;
  options: ImportOptions;
  missingCapabilities: MissingCapabilities;
  /** Groups that the importer can neither add nor remove, with the missing capabilities. */
  ungrantableGroups: ReadonlyMap<number, string>;
  /** Id of the importer, who cannot deactivate themselves. */
  ownUserId: number;
}

/** Part of a plan that depends only on the row's own values. */
export interface RowPlan {
  changes: FieldChange[];
  work: RowWork;
  errors: RowError[];
}

/** Change in billable licenses when the work of a row is done; a user is created with a Standard license. */
export function getRowBillableChange({ create, licenseTypeId, licenseBefore }: RowWork): number {
  if (create) return getBillableChange(null, licenseTypeId ?? STANDARD_LICENSE);
  return licenseTypeId === undefined ? 0 : getBillableChange(licenseBefore, licenseTypeId);
}

// Limit of one request (NewUserInfo, UsersToUserGroupRequestVm).
const MAX_GROUPS_PER_REQUEST = 1000;

export const checkGroupCount = (groups: readonly number[]): RowError[] =>
  groups.length > MAX_GROUPS_PER_REQUEST
    ? [{ field: 'groups', message: `${groups.length} groups; the maximum is ${MAX_GROUPS_PER_REQUEST}` }]
    : [];

/** Errors for groups with capabilities the importer does not hold: the service refuses to add or remove them. */
export const checkGrantable = (
  groups: readonly number[],
  { ungrantableGroups, groupLookup }: CheckContext,
): RowError[] =>
  groups.flatMap((id) => {
    const lacks = ungrantableGroups.get(id);
    if (lacks === undefined) return [];
    return [
      {
        field: 'groups',
        message: `${quoteExcerpt(groupLookup.getName(id))} grants ${lacks}, which you do not have`,
      },
    ];
  });

/** Errors for operations that are needed but not allowed. */
export function checkCapabilities(
  needed: readonly { what: keyof MissingCapabilities; field: Field; when: boolean }[],
  missingCapabilities: MissingCapabilities,
): RowError[] {
  return needed.flatMap(({ what, field, when }) => {
    const message = when ? missingCapabilities[what] : undefined;
    return message === undefined ? [] : [{ field, message }];
  });
}
