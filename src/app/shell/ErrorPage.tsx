import { Link, useRouter } from '@tanstack/react-router';
import type { ErrorComponentProps } from '@tanstack/react-router';
import { Compass } from 'lucide-react';
import { isUnreachable, toServiceError } from '../../api/errors.ts';
import type { ServiceError } from '../../api/errors.ts';
import { heldActing } from '../../api/session-gate.ts';
import { isMissingCode } from '../../lib/missing-code.ts';
import { buttonClass } from '../../ui/button/button-class.ts';
import { EmptyState } from '../../ui/feedback/EmptyState.tsx';
import { ErrorState } from '../../ui/feedback/ErrorState.tsx';
import { Page } from '../../ui/layout/Page.tsx';

interface Words {
  page: string;
  title: string;
  body: string;
}

function wordsFor(error: ServiceError): Words {
  if (isUnreachable(error)) {
    return {
      page: 'No connection',
      title: 'The service cannot be reached',
      body: 'This page could not be loaded. Nothing of yours is lost; the console tries again by itself.',
    };
  }
  if (error.status === 401)
    return { page: 'Signed out', title: error.message, body: 'Try again, and sign in when asked.' };
  if (error.status === 403) {
    return {
      page: 'No permission',
      title: 'You may not see this page',
      body: `${error.message}. ${
        heldActing()
          ? 'You work as somebody else: what they may not see, or cannot pass on, you do not see either.'
          : 'An administrator of this site can give it to you.'
      }`,
    };
  }
  if (error.status === 404) {
    return {
      page: 'Not found',
      title: error.message,
      body: 'It may have been removed, or it belongs to another site.',
    };
  }
  if (error.status === 501)
    return {
      page: 'Not available',
      title: error.message,
      body: 'This installation does not answer this call.',
    };
  return {
    page: 'Something went wrong',
    title: 'This page could not be shown',
    body: `${error.message}. Other pages still work. If it happens again, hand the request id to whoever runs this service.`,
  };
}

/** What stands in the place of a page that could not be loaded or drawn. */
export function ErrorPage({ error, reset }: Pick<ErrorComponentProps, 'error' | 'reset'>) {
  const router = useRouter();
  if (isMissingCode(error)) return <OutdatedPage />;
  const failure = toServiceError(error);
  const { page, title, body } = wordsFor(failure);
  const again = () => {
    reset();
    void router.invalidate();
  };
  return (
    <Page title={page}>
      <ErrorState title={title} onRetry={again} requestId={failure.requestId}>
        {body}
      </ErrorState>
    </Page>
  );
}

/** Code of this page is gone from the service, or could not be fetched: only a load of the page brings it. */
function OutdatedPage() {
  return (
    <Page title="Not loaded">
      <ErrorState
        title="Part of the console could not be loaded"
        retry="Load the page anew"
        // Past no guard: who has typed something is asked before it is lost.
        onRetry={() => location.reload()}
      >
        It was probably renewed since this page was opened, or the service cannot be reached right now.
      </ErrorState>
    </Page>
  );
}

/** The same before there is a frame around it: the session could not be read, or a link not looked up. */
export function DoorErrorPage(props: Pick<ErrorComponentProps, 'error' | 'reset'>) {
  return (
    <main>
      <ErrorPage {...props} />
    </main>
  );
}

/** An address that leads nowhere. */
export function NotFoundPage() {
  return (
    <Page title="Not found">
      <EmptyState
        icon={Compass}
        title="There is nothing at this address"
        actions={
          <Link to="/" className={buttonClass()}>
            Go to the overview
          </Link>
        }
      >
        The link may be old, or mistyped.
      </EmptyState>
    </Page>
  );
}
