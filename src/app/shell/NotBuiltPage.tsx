import { Hammer } from 'lucide-react';
import { EmptyState } from '../../ui/feedback/EmptyState.tsx';
import { Card } from '../../ui/layout/Card.tsx';
import { Page } from '../../ui/layout/Page.tsx';
import type { NavigationEntry } from '../area/define-area.ts';
import './not-built.css';

interface NotBuiltPageProps {
  name: string;
  area: NonNullable<NavigationEntry['notBuilt']>;
}

/** Placeholder of an area without pages: its purpose and its operations of the interface. */
export function NotBuiltPage({ name, area: { purpose, operations } }: NotBuiltPageProps) {
  return (
    <Page title={name}>
      <Card>
        <EmptyState icon={Hammer} title="This area is not available yet">
          {purpose}
        </EmptyState>
      </Card>
      {operations.length > 0 && (
        <Card title="Operations of the interface; those that are not available answer 501">
          <ul className="calls">
            {operations.map((operation) => (
              <li key={operation}>
                <code>{operation}</code>
              </li>
            ))}
          </ul>
        </Card>
      )}
    </Page>
  );
}
