import {
  Archive,
  ArchiveRestore,
  BadgeCheck,
  CalendarPlus,
  FileDown,
  FileText,
  FileUp,
  HeartHandshake,
  Inbox,
  MailPlus,
  MailX,
  TableProperties,
  Trash2,
  Undo2,
  UserRoundMinus,
  UserRoundPen,
  UsersRound,
} from 'lucide-react';
import type { LucideIcon } from 'lucide-react';
import type { Job } from '../../../../contract/generated/types.gen.ts';
import type { WriteOperation } from '../../../api/invalidation.ts';

/** What the console needs to know about a kind of job. */
interface JobKindView {
  icon: LucideIcon;
  /** Writes that change the same data one by one; the reads that they make stale are read again. */
  operations: readonly WriteOperation[];
  /** Names of one item and of several. */
  nouns: readonly [one: string, many: string];
  /** What done items are; by default changed. */
  done?: string;
  /** The operation that starts jobs which make a file: saving the file needs its capability. */
  startsFile?: WriteOperation;
}

const INVITATIONS = ['invitation', 'invitations'] as const;
const PEOPLE = ['person', 'people'] as const;
const ENTRIES = ['entry', 'entries'] as const;

const exportBy = (startsFile: WriteOperation): JobKindView => ({
  icon: FileDown,
  operations: [],
  nouns: ['row', 'rows'],
  done: 'exported',
  startsFile,
});

/** All kinds of jobs; a kind that is missing here is a type error. */
export const JOB_KINDS: Record<Job['kind'], JobKindView> = {
  'users.update': { icon: UserRoundPen, operations: ['updateUser'], nouns: PEOPLE },
  'users.remove': { icon: UserRoundMinus, operations: ['removeUser'], nouns: PEOPLE },
  'users.import': { icon: FileUp, operations: ['createUser', 'updateUser'], nouns: PEOPLE },
  'users.import-undo': { icon: Undo2, operations: ['updateUser', 'removeUser'], nouns: PEOPLE },
  'licenses.change': { icon: BadgeCheck, operations: ['updateUserLicense'], nouns: PEOPLE },
  'groups.change': { icon: UsersRound, operations: ['assignGroups', 'unassignGroups'], nouns: PEOPLE },
  'groups.delete': { icon: Trash2, operations: ['deleteGroup'], nouns: ['item', 'items'] },
  'invitations.create': {
    icon: MailPlus,
    operations: ['inviteExistingUser', 'addExistingUser'],
    nouns: PEOPLE,
  },
  'invitations.extend': { icon: CalendarPlus, operations: ['extendInvitation'], nouns: INVITATIONS },
  'invitations.revoke': { icon: MailX, operations: ['revokeInvitation'], nouns: INVITATIONS },
  'invitations.delete': { icon: Trash2, operations: ['deleteInvitation'], nouns: INVITATIONS },
  'entries.update': { icon: TableProperties, operations: ['updateEntries'], nouns: ENTRIES },
  'entries.delete': { icon: Trash2, operations: ['deleteEntries'], nouns: ENTRIES },
  'entries.restore': { icon: ArchiveRestore, operations: ['restoreEntries'], nouns: ENTRIES },
  'entries.export': exportBy('startEntryExport'),
  'users.export': exportBy('startUserExport'),
  'activity.export': exportBy('startActivityExport'),
  'proxies.export': exportBy('startActingReportExport'),
  'entries.import': { icon: FileUp, operations: ['createEntries', 'updateEntries'], nouns: ENTRIES },
  'entries.import-undo': { icon: Undo2, operations: ['updateEntries', 'deleteEntries'], nouns: ENTRIES },
  'relationships.enable': {
    icon: HeartHandshake,
    operations: ['startRelationshipUserChanges'],
    nouns: PEOPLE,
  },
  'relationships.import': {
    icon: Inbox,
    operations: ['importEmails', 'importMeetings'],
    nouns: ['batch', 'batches'],
    done: 'imported',
  },
  backup: { icon: Archive, operations: ['requestBackup'], nouns: ['percent', 'percent'], done: '% written' },
  report: {
    icon: FileText,
    operations: ['startReportRun'],
    nouns: ENTRIES,
    done: 'reported',
    startsFile: 'startReportRun',
  },
};
