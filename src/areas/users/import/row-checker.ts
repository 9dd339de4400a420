import { createPlanStore } from '../../../files/import-plan/plan-store.ts';
import type { OutcomeCounts } from '../../../files/import-plan/plan.ts';
import { toEmailKey } from '../../../lib/text/email-key.ts';
import { checkRows } from './check.ts';
import type { Mapping } from './fields.ts';
import { createGroupLookup, parseRow } from './parse-row.ts';
import type { RowTarget } from './parse-row.ts';
import { getRowBillableChange } from './plan.ts';
import type { CheckContext, KnownUser, RowWork } from './plan.ts';

/** Result of a check: rows by outcome, and the difference in billable licenses that they make. */
export type CheckedUsers = OutcomeCounts & { billableDelta: number };

/** Input of a check, as sent to the worker. */
export interface CheckRequest extends Omit<CheckContext, 'people' | 'groupLookup' | 'ungrantableGroups'> {
  mapping: Mapping;
  groups: readonly { id: number; name: string }[];
}

type UngrantableGroups = CheckContext['ungrantableGroups'];
const NO_GROUPS: UngrantableGroups = new Map();

/** Holds a file of users in a worker and checks its rows whenever the columns change. */
export function createRowChecker() {
  const planStore = createPlanStore<RowWork>();
  let byId = new Map<number, KnownUser>();
  let byEmail = new Map<string, KnownUser>();

  const parseRows = ({ mapping, groups }: CheckRequest): RowTarget[] => {
    const groupLookup = createGroupLookup(groups);
    return planStore.getTable().rows.map((row) => parseRow(row, mapping, groupLookup));
  };

  return {
    open: planStore.open,
    getPlansByOutcome: planStore.getPlansByOutcome,
    formatProblems: planStore.formatProblems,
    getConfirmedPlans: planStore.getConfirmedPlans,

    /** Adds users in portions; `replaces` clears the previous ones. */
    addPeople(people: readonly KnownUser[], replaces: boolean): void {
      if (replaces) {
        byId = new Map();
        byEmail = new Map();
      }
      for (const one of people) {
        byId.set(one.id, one);
        byEmail.set(toEmailKey(one.email), one);
      }
    },

    /**
     * Users whose federation id has to be loaded before the rows can be compared, because the directory does not hold
     * it.
     */
    getUsersWithoutFederationId(request: CheckRequest): number[] {
      if (!request.mapping.includes('federationId')) return [];
      return parseRows(request).flatMap(({ id, email, federationId }) => {
        const user = id === undefined ? byEmail.get(toEmailKey(email ?? '')) : byId.get(id);
        return user && federationId !== undefined && user.federationId === undefined ? [user.id] : [];
      });
    },
    addFederationIds(user: readonly (readonly [id: number, federationId: string])[]): void {
      for (const [id, federationId] of user) {
        const one = byId.get(id);
        if (one) one.federationId = federationId;
      }
    },

    check(request: CheckRequest, ungrantableGroups = NO_GROUPS): CheckedUsers {
      const { options, missingCapabilities, ownUserId } = request;
      const groupLookup = createGroupLookup(request.groups);
      const people = { byId, byEmail };
      const plans = checkRows(parseRows(request), {
        people,
        groupLookup,
        options,
        missingCapabilities,
        ungrantableGroups,
        ownUserId,
      });
      const billableDelta = plans.reduce((sum, { work }) => sum + getRowBillableChange(work), 0);
      return { ...planStore.setPlans(plans), billableDelta };
    },

    /** Groups that the planned rows would add or remove. */
    getChangedGroupIds: (): number[] => [
      ...new Set(
        planStore
          .getPlans()
          .flatMap(({ work: { create, addGroups = [], removeGroups = [] } }) => [
            ...(create?.groups ?? []),
            ...addGroups,
            ...removeGroups,
          ]),
      ),
    ],
  };
}
