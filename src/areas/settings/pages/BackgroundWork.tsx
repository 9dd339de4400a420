import { useQuery } from '@tanstack/react-query';
import type { TaskFailure } from '../../../../contract/generated/types.gen.ts';
import { toServiceError } from '../../../api/errors.ts';
import {
  listTaskFailuresOptions,
  retryTaskFailuresMutation,
} from '../../../api/generated/queries/settings.gen.ts';
import { usePermission } from '../../../api/session.ts';
import { useWrite } from '../../../api/write.ts';
import { pluralize } from '../../../lib/numbers.ts';
import { capitalize, endSentence } from '../../../lib/text/sentences.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { Card, CardRow } from '../../../ui/layout/Card.tsx';
import { Distance, NextAttempt } from '../../../ui/layout/Distance.tsx';
import { toast } from '../../../ui/toast.ts';

/** Tasks whose names do not say what they do for the site. */
const TITLES: Readonly<Record<string, string>> = {
  recalculate: 'Calculated fields',
  'field jobs': 'Changes of the schema',
};

const getTitle = (task: string): string => TITLES[task] ?? capitalize(task);

/** Background work of the site that failed, with its reason and next attempt; nothing when all of it works. */
export function BackgroundWork() {
  const { allowed } = usePermission('listTaskFailures');
  const { reason } = usePermission('retryTaskFailures');
  const { data = [], error } = useQuery({ ...listTaskFailuresOptions(), staleTime: 0, enabled: allowed });
  const retry = useWrite('retryTaskFailures', retryTaskFailuresMutation());
  if (error)
    return (
      <Banner tone="bad" title="The state of the background work could not be loaded">
        {toServiceError(error).message}
      </Banner>
    );
  if (data.length === 0) return null;
  return (
    <Card
      title="Background work that failed"
      actions={
        <Button
          disabledReason={reason}
          pending={retry.isPending}
          onClick={() =>
            retry.mutate(
              {},
              {
                onSuccess: () => toast({ title: 'The failed work runs again' }),
                onError: ({ message }) => toast({ tone: 'bad', title: message }),
              },
            )
          }
        >
          Retry now
        </Button>
      }
    >
      {data.map((failure) => (
        <CardRow
          key={`${failure.task} ${failure.item}`}
          title={failure.item === '' ? getTitle(failure.task) : `${getTitle(failure.task)}: ${failure.item}`}
          description={<FailureText failure={failure} />}
        />
      ))}
    </Card>
  );
}

function FailureText({ failure: { reason, attempts, failedAt, retryAt } }: { failure: TaskFailure }) {
  return (
    <>
      {endSentence(reason)} Failed {pluralize(attempts, 'time', 'times')}, last <Distance to={failedAt} />.{' '}
      {retryAt === null ? 'It is no longer retried automatically.' : <NextAttempt at={retryAt} />}
    </>
  );
}
