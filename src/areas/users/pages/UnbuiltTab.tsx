import { Hammer } from 'lucide-react';
import type { ReactNode } from 'react';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { Card } from '../../../ui/layout/Card.tsx';

/** A tab that does not exist yet, what it will tell, and the call that tells it meanwhile. */
export function UnbuiltTab({ title, call, children }: { title: string; call: string; children: ReactNode }) {
  return (
    <Card>
      <EmptyState icon={Hammer} title={title} actions={<code>{call}</code>}>
        {children}
      </EmptyState>
    </Card>
  );
}
