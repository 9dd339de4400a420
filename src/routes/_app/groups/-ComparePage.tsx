import { getRouteApi } from '@tanstack/react-router';
import { ArrowLeftRight, Users } from 'lucide-react';
import { useMemo } from 'react';
import { useDirectory, usePeople } from '../../../directory/directory.ts';
import type { DirectoryRow } from '../../../directory/row.ts';
import { Trail } from '../../../shell/Trail.tsx';
import { Button } from '../../../ui/button/Button.tsx';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { SkeletonRows } from '../../../ui/feedback/Skeleton.tsx';
import { Card } from '../../../ui/layout/Card.tsx';
import { Page } from '../../../ui/layout/Page.tsx';
import { ComparedPerson } from './-ComparedPerson.tsx';
import { ComparedCapabilities, ComparedGroups } from './-Comparison.tsx';
import { CopyGroups } from './-CopyGroups.tsx';
import './-compare.css';

const route = getRouteApi('/_app/groups/compare');

/** Two people side by side: their groups, what these give, and copying groups from one to the other. */
export function ComparePage() {
  const { a, b } = route.useSearch();
  const navigate = route.useNavigate();
  const { complete, error, size } = useDirectory();
  const ids = useMemo(() => [a, b].filter((id) => id !== undefined), [a, b]);
  const people = usePeople(ids);
  const [ann, ben] = [
    a === undefined ? undefined : people.get(a),
    b === undefined ? undefined : people.get(b),
  ];
  const show = (search: { a?: number | undefined; b?: number | undefined }) =>
    void navigate({ to: '.', search });

  if (error?.status === 403 && size === undefined) throw error;
  const side = (id: number | undefined, other: number | undefined, label: string) => ({
    label,
    userId: id,
    person: id === undefined ? undefined : people.get(id),
    missing: complete,
    other,
  });
  return (
    <Page
      title="Compare users"
      breadcrumbs={<Trail />}
      actions={
        <Button
          icon={ArrowLeftRight}
          disabledReason={a === undefined && b === undefined ? 'Choose somebody first' : undefined}
          onClick={() => show({ a: b, b: a })}
        >
          Swap
        </Button>
      }
    >
      <div className="compare-people">
        <ComparedPerson {...side(a, b, 'First user')} onChoose={(id) => show({ a: id, b })} />
        <ComparedPerson {...side(b, a, 'Second user')} onChoose={(id) => show({ a, b: id })} />
      </div>
      <Body {...{ ann, ben }} waiting={ids.length === 2 && !complete} chosen={ids.length} />
    </Page>
  );
}

interface BodyProps {
  ann: DirectoryRow | undefined;
  ben: DirectoryRow | undefined;
  waiting: boolean;
  chosen: number;
}

function Body({ ann, ben, waiting, chosen }: BodyProps) {
  if (ann && ben) {
    return (
      <>
        <ComparedGroups a={ann} b={ben} />
        <CopyGroups from={ann} to={ben} />
        <ComparedCapabilities a={ann} b={ben} />
      </>
    );
  }
  return (
    <Card>
      {waiting ? (
        <SkeletonRows rows={5} />
      ) : (
        <EmptyState icon={Users} title={chosen < 2 ? 'Choose two people' : 'One of them is not on this site'}>
          Their groups stand side by side, with what each may do and which group it comes from. Groups can
          then be copied from the first to the second.
        </EmptyState>
      )}
    </Card>
  );
}
