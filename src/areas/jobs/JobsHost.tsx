import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { QueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { usePermission } from '../../api/session.ts';
import type { JobWatcher } from './model/job-watcher.ts';
import { jobListQuery } from './model/jobs.ts';

/** Keeps the caller's jobs up to date on every page, refreshes what they changed and announces their ends. */
export function JobsHost() {
  const client = useQueryClient();
  const { allowed } = usePermission('listJobs');
  const { data } = useQuery({ ...jobListQuery('own'), enabled: allowed });
  const [{ update, stop }] = useState(() => createLazyWatcher(client));
  useEffect(() => {
    if (data) update(data.jobs);
  }, [update, data]);
  useEffect(() => stop, [stop]);
  return null;
}

/** The watcher, whose code is loaded with the first jobs and not with the frame. */
function createLazyWatcher(client: QueryClient): JobWatcher {
  let watcher: Promise<JobWatcher> | undefined;
  return {
    update(jobs) {
      watcher ??= import('./model/job-watcher.ts').then(({ createJobWatcher }) => createJobWatcher(client));
      watcher.then(
        ({ update }) => update(jobs),
        // The next reading tries again.
        () => (watcher = undefined),
      );
    },
    stop() {
      watcher?.then(
        (created) => created.stop(),
        () => undefined,
      );
      watcher = undefined;
    },
  };
}
