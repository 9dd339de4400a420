import { Link, useRouter } from '@tanstack/react-router';
import type { ErrorComponentProps } from '@tanstack/react-router';
import { Compass } from 'lucide-react';
import { isUnreachable, NO_ANSWER, toServiceError } from '../../api/errors.ts';
import type { ServiceError } from '../../api/errors.ts';
import { isPageActing } from '../../api/session-state.ts';
import { isCodeMissingError } from '../../lib/code-missing.ts';
import { endSentence } from '../../lib/text/sentences.ts';
import { buttonClass } from '../../ui/button/button-class.ts';
import { EmptyState } from '../../ui/feedback/EmptyState.tsx';
import { ErrorState } from '../../ui/feedback/ErrorState.tsx';
import { PageOrPanel } from './PageOrPanel.tsx';

interface ErrorTexts {
  page: string;
  title: string;
  body: string;
}

function getErrorTexts(error: ServiceError): ErrorTexts {
  if (error.code === NO_ANSWER) {
    return {
      page: 'No answer',
      title: error.message,
      body: 'The console stopped waiting. No data is lost. Other pages may still work.',
    };
  }
  if (isUnreachable(error)) {
    return {
      page: 'No connection',
      title: 'The service cannot be reached',
      body: 'This page could not be loaded. No data is lost. The console retries automatically.',
    };
  }
  if (error.status === 401)
    return { page: 'Signed out', title: error.message, body: 'Try again, and sign in when asked.' };
  if (error.status === 403) {
    return {
      page: 'No permission',
      title: 'You do not have access to this page',
      body: `${endSentence(error.message)} ${
        isPageActing()
          ? 'You work as someone else and have only the permissions they can delegate.'
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
  return {
    page: 'Something went wrong',
    title: 'This page could not be shown',
    body: `${endSentence(error.message)} Other pages still work. If it happens again, give the request id to the operator of this service.`,
  };
}

/** Shown instead of a page or panel that failed to load or render. */
export function ErrorPage({ error, reset }: Pick<ErrorComponentProps, 'error' | 'reset'>) {
  const router = useRouter();
  if (isCodeMissingError(error)) return <OutdatedPage />;
  const failure = toServiceError(error);
  const { page, title, body } = getErrorTexts(failure);
  const retry = () => {
    reset();
    void router.invalidate();
  };
  return (
    <PageOrPanel title={page}>
      {/* Trying again grants no capability. */}
      <ErrorState
        title={title}
        onRetry={failure.status === 403 ? undefined : retry}
        requestId={failure.requestId}
      >
        {body}
      </ErrorState>
    </PageOrPanel>
  );
}

/** Shown when code of the page could not be fetched, for example after an update; only a reload helps. */
function OutdatedPage() {
  return (
    <PageOrPanel title="Not loaded">
      <ErrorState
        title="Part of the console could not be loaded"
        retryLabel="Reload the page"
        // Keeps the unload guards, which ask before unsaved input is lost.
        onRetry={() => location.reload()}
      >
        It was probably updated since you opened this page, or the service cannot be reached right now.
      </ErrorState>
    </PageOrPanel>
  );
}

/** Error page outside the frame: the session could not be read or a link not be looked up. */
export function StandaloneErrorPage(props: Pick<ErrorComponentProps, 'error' | 'reset'>) {
  return (
    <main className="screen">
      <ErrorPage {...props} />
    </main>
  );
}

/** Shown for an unknown address. */
export function NotFoundPage() {
  return (
    <PageOrPanel title="Not found">
      <EmptyState
        icon={Compass}
        title="There is nothing at this address"
        actions={
          <Link to="/" className={buttonClass()}>
            Go to the overview
          </Link>
        }
      >
        The link may be outdated or mistyped.
      </EmptyState>
    </PageOrPanel>
  );
}
