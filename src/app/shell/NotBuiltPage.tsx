import { Hammer } from 'lucide-react';
import { EmptyState } from '../../ui/feedback/EmptyState.tsx';
import { Card } from '../../ui/layout/Card.tsx';
import { Page } from '../../ui/layout/Page.tsx';
import type { UnbuiltArea } from './unbuilt.ts';
import './not-built.css';

/** The page of an area that has none yet: what it will do, and what can be called meanwhile. */
export function NotBuiltPage({ name, area: { purpose, operations } }: { name: string; area: UnbuiltArea }) {
  return (
    <Page title={name}>
      <Card>
        <EmptyState icon={Hammer} title="This area has no pages yet">
          {purpose}
        </EmptyState>
      </Card>
      {operations.length > 0 && (
        <Card title="Calls of the interface for it, those not built answer 501">
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
