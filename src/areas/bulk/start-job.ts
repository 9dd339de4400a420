import type {
  Job,
  LicenseChanges,
  MembershipChanges,
  UserRemovals,
  UserUpdates,
} from '../../../contract/generated/types.gen.ts';
import {
  startLicenseChanges,
  startMembershipChanges,
  startUserRemovals,
  startUserUpdates,
} from '../../api/generated/sdk.gen.ts';
import type { BulkAction } from './bulk-request.ts';
import { getGroupDifference } from './person.ts';
import type { PersonChange } from './person.ts';

/** Most people of one job (contract, UserUpdates). */
export const MAX_JOB_PEOPLE = 100_000;

/** Body with all items of the job, which are not uploaded in parts. */
type WithItems<Body, Items extends keyof Body> = Omit<Body, Items> & {
  [Key in Items]-?: NonNullable<Body[Key]>;
};

/** Operation that starts the job of an action, with its body. */
export type JobRequest =
  | { operation: 'startUserUpdates'; body: WithItems<UserUpdates, 'userIds'> }
  | { operation: 'startUserRemovals'; body: WithItems<UserRemovals, 'userIds'> }
  | { operation: 'startLicenseChanges'; body: WithItems<LicenseChanges, 'licenses'> }
  | { operation: 'startMembershipChanges'; body: WithItems<MembershipChanges, 'memberships'> };

/**
 * Request for the job that makes the reviewed changes. The signed-in user comes last: the job runs with rights that this
 * change may end.
 */
export function buildJobRequest(
  action: BulkAction,
  reviewedChanges: readonly PersonChange[],
  ownUserId: number,
): JobRequest {
  const changes = reviewedChanges.toSorted(
    (one, other) => Number(one.person.id === ownUserId) - Number(other.person.id === ownUserId),
  );
  const userIds = changes.map(({ person }) => person.id);
  const reviewedAt = getReviewTime(changes);
  const buildUserUpdates = (properties: Omit<UserUpdates, 'userIds'>): JobRequest => ({
    operation: 'startUserUpdates',
    body: { userIds, ...properties, reviewedAt },
  });
  const buildMembershipChanges = (
    getGroups: (change: PersonChange) => { added: readonly number[]; removed: readonly number[] },
  ): JobRequest => ({
    operation: 'startMembershipChanges',
    body: {
      memberships: changes.map((change) => {
        const { added, removed } = getGroups(change);
        return { userId: change.person.id, add: [...added], remove: [...removed] };
      }),
      reviewedAt,
    },
  });
  switch (action.kind) {
    case 'activate':
    case 'deactivate':
      return buildUserUpdates({ isActive: action.kind === 'activate' });
    case 'twoFactorOn':
      return buildUserUpdates({ twoFactorEnabled: true });
    case 'addressesOn':
      return buildUserUpdates({ ipRestrictionsEnabled: true });
    case 'timeZone':
      return buildUserUpdates({ timeZone: action.timeZone });
    case 'license':
    case 'licenses':
      return {
        operation: 'startLicenseChanges',
        body: {
          licenses: changes.flatMap(({ person, after }) =>
            after?.licenseTypeId === undefined
              ? []
              : [{ userId: person.id, licenseTypeId: after.licenseTypeId }],
          ),
          reviewedAt,
        },
      };
    // The same groups for all, so that the service can name them in the title; it leaves out those a user is in.
    case 'addGroups':
      return buildMembershipChanges(() => ({ added: action.groupIds, removed: [] }));
    case 'removeGroups':
      return buildMembershipChanges(() => ({ added: [], removed: action.groupIds }));
    case 'remove':
      return { operation: 'startUserRemovals', body: { userIds, reviewedAt } };
    case 'pairs':
    default:
      return buildMembershipChanges(getGroupDifference);
  }
}

/**
 * When the people were last changed before the review, by the clock of the service: the job leaves alone who was changed
 * later. Changes that the dry run named and the user accepted are not later.
 */
const getReviewTime = (changes: readonly PersonChange[]): string =>
  changes.reduce((latest, { person }) => (person.modified > latest ? person.modified : latest), '');

/** Starts the job that makes the reviewed changes. @throws ServiceError */
export async function startBulkJob(
  action: BulkAction,
  changes: readonly PersonChange[],
  ownUserId: number,
): Promise<Job> {
  const { data } = await sendJobRequest(buildJobRequest(action, changes, ownUserId));
  return data;
}

function sendJobRequest(request: JobRequest) {
  switch (request.operation) {
    case 'startUserRemovals':
      return startUserRemovals({ body: request.body });
    case 'startLicenseChanges':
      return startLicenseChanges({ body: request.body });
    case 'startMembershipChanges':
      return startMembershipChanges({ body: request.body });
    case 'startUserUpdates':
    default:
      return startUserUpdates({ body: request.body });
  }
}
