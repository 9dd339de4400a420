import { ListChecks } from 'lucide-react';
import { defineArea } from '../../app/area/define-area.ts';

const JOB_READS = ['listJobs', 'getJob', 'listJobItems', 'listJobReasons'] as const;

export const jobsArea = defineArea({
  name: 'jobs',
  navigation: [{ group: 'Site', path: '/jobs', name: 'Jobs', icon: ListChecks, key: 'j', needs: 'listJobs' }],
  invalidations: {
    startUserUpdates: JOB_READS,
    startUserRemovals: JOB_READS,
    startLicenseChanges: JOB_READS,
    startMembershipChanges: JOB_READS,
    pauseJob: JOB_READS,
    resumeJob: JOB_READS,
    cancelJob: JOB_READS,
    retryJob: JOB_READS,
    undoJob: JOB_READS,
  },
});
