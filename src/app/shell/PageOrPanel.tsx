import { useMatch, useMatches, useRouter } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import type { ReactNode } from 'react';
import { Page } from '../../ui/layout/Page.tsx';

/** Loaded when it is needed: the sign-in page has no panels. */
const Panel = lazy(async () => ({ default: (await import('../../ui/dialog/Panel.tsx')).Panel }));

interface PageOrPanelProps {
  title: string;
  children: ReactNode;
}

/** Shown instead of the page of a route; in a panel over the page of its parent if the route is a panel. */
export function PageOrPanel({ title, children }: PageOrPanelProps) {
  const router = useRouter();
  const match = useMatch({ strict: false, shouldThrow: false });
  const matches = useMatches();
  const parent = matches[matches.findIndex(({ id }) => id === match?.id) - 1];
  if (match?.staticData.part !== 'panel' || !parent) return <Page title={title}>{children}</Page>;
  return (
    <Suspense>
      <Panel
        title={title}
        onClose={() => void router.navigate({ to: parent.pathname, search: (now) => now })}
      >
        <div className="form-body">{children}</div>
      </Panel>
    </Suspense>
  );
}
