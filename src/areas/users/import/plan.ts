import type { NewUserInfo, UserInfo } from '../../../api/generated/types.gen.ts';
import type { Fault, FieldChange } from '../../import/plan.ts';
import type { GroupBook } from './values.ts';

/** Somebody of the site, as far as an import compares. */
export interface Known {
  id: number;
  email: string;
  firstName: string;
  lastName: string;
  isActive: boolean;
  licenseTypeId: number | undefined;
  groups: readonly number[];
  twoFactor: boolean;
  approvedAddresses: boolean;
  /** Only where it was asked for: the directory does not hold it. */
  federationId?: string | undefined;
}

/** The calls that a row needs (spec 4.2); a license and groups of somebody known are calls of their own. */
export interface Work {
  create?: NewUserInfo;
  update?: UserInfo;
  /** What the changed fields of `update` were when it was planned. */
  before?: Partial<UserInfo>;
  licenseTypeId?: number;
  /** The license when it was planned; undefined for somebody new. */
  licenseBefore?: number | undefined;
  addGroups?: readonly number[];
  removeGroups?: readonly number[];
}

/** What a person who imports may do: undefined where allowed, else the sentence that says what is missing. */
export type Permissions = Readonly<
  Record<'create' | 'update' | 'license' | 'assign' | 'unassign', string | undefined>
>;

/** What is chosen for an import beside its columns. */
export interface Choices {
  /** `add`: groups of the file come to those somebody has; `exact`: others are taken away. */
  groups: 'add' | 'exact';
}

/** Everybody of the site, to be found by id and by address. */
export interface People {
  byId: ReadonlyMap<number, Known>;
  byEmail: ReadonlyMap<string, Known>;
}

/** What rows are checked against. */
export interface Checking {
  people: People;
  book: GroupBook;
  choices: Choices;
  may: Permissions;
  /** Groups that the importer may neither give nor take, each with what they lack for it. */
  barred: ReadonlyMap<number, string>;
  /** Who imports: they cannot shut themselves out. */
  me: number;
}

/** The part of a plan that a row's own wish decides. */
export interface RowPlan {
  changes: FieldChange[];
  work: Work;
  faults: Fault[];
}
