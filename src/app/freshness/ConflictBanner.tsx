import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { getConfigurationKind } from '../../../contract/rules/configuration.ts';
import { listConfigurationChangesOptions } from '../../api/generated/queries/activity.gen.ts';
import { usePermission, useSession } from '../../api/session.ts';
import { Banner } from '../../ui/feedback/Banner.tsx';
import { findAuthor } from './find-author.ts';
import type { Subject } from './find-author.ts';

/** Changes that are searched for the one of the conflict, which is among the newest. */
const MAX_CHANGES = 20;

interface ConflictBannerProps extends Omit<Subject, 'subjectId'> {
  /** By default the site of the session. */
  subjectId?: number;
  /** What was changed: "the settings". */
  what: string;
  children: ReactNode;
}

/** Banner of a form whose values somebody else has saved: names them to those who may read the configuration log. */
export function ConflictBanner(props: ConflictBannerProps) {
  const { site } = useSession();
  const { action, subjectType, subjectId = site.id, what, children } = props;
  const { allowed } = usePermission('listConfigurationChanges');
  const kind = getConfigurationKind(subjectType, action);
  const { data } = useQuery({
    ...listConfigurationChangesOptions({
      query: { ...(kind && { kinds: [kind] }), limit: MAX_CHANGES },
    }),
    enabled: allowed,
    // An earlier reading does not have the change.
    staleTime: 0,
  });
  const author = findAuthor(data?.changes ?? [], { action, subjectType, subjectId });
  return (
    <Banner tone="warn" title={`${author ?? 'Another user'} changed ${what} in the meantime`}>
      {children}
    </Banner>
  );
}
