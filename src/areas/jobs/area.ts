import { ListChecks } from 'lucide-react';
import { defineArea } from '../../app/area/define-area.ts';
import { JobsButton } from './center/JobsButton.tsx';
import { JobsHost } from './JobsHost.tsx';

const JOB_READS = ['listJobs', 'getJob', 'listJobItems', 'listJobReasons', 'getJobPace'] as const;

export const jobsArea = defineArea({
  name: 'jobs',
  palette: () => import('./palette.ts'),
  // Without a group: the button of the top bar leads there.
  navigation: [{ path: '/jobs', name: 'Jobs', icon: ListChecks, key: 'j', needs: 'listJobs' }],
  invalidations: {
    startUserUpdates: JOB_READS,
    startUserRemovals: JOB_READS,
    startUserImport: JOB_READS,
    startLicenseChanges: JOB_READS,
    startMembershipChanges: JOB_READS,
    putJobPart: JOB_READS,
    submitJob: JOB_READS,
    startGroupRemovals: JOB_READS,
    startInvitations: JOB_READS,
    startInvitationExtensions: JOB_READS,
    startInvitationRevocations: JOB_READS,
    startInvitationDeletions: JOB_READS,
    startEntryUpdates: JOB_READS,
    startEntryDeletions: JOB_READS,
    startEntryExport: JOB_READS,
    startUserExport: JOB_READS,
    startActivityExport: JOB_READS,
    startActingReportExport: JOB_READS,
    startEntryImport: JOB_READS,
    createJobFileLink: [],
    pauseJob: JOB_READS,
    resumeJob: JOB_READS,
    cancelJob: JOB_READS,
    retryJob: JOB_READS,
    undoJob: JOB_READS,
  },
  TopBarItem: JobsButton,
  Host: JobsHost,
});
