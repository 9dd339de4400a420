import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { usePermission } from '../../api/session.ts';
import { createJobWatcher } from './model/job-watcher.ts';
import { jobListQuery } from './model/jobs.ts';

/** Keeps the caller's jobs up to date on every page, refreshes what they changed and announces their ends. */
export function JobsHost() {
  const client = useQueryClient();
  const { allowed } = usePermission('listJobs');
  const { data } = useQuery({ ...jobListQuery('own'), enabled: allowed });
  const [watcher] = useState(() => createJobWatcher(client));
  useEffect(() => {
    if (data) watcher.update(data.jobs);
  }, [watcher, data]);
  return null;
}
