import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { isUnreachable, NO_ANSWER, toServiceError } from '../../../api/errors.ts';
import { endSentence } from '../../../lib/text/sentences.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { SkeletonRows } from '../../../ui/feedback/Skeleton.tsx';
import { Card, CardBody } from '../../../ui/layout/Card.tsx';
import { Tile } from '../../../ui/layout/Tile.tsx';
import './home.css';

/** Why content could not be read, in whole or in part. */
export interface HomeFailure {
  error: unknown;
  onRetry: () => void;
}

interface HomeCardProps {
  title: string;
  /** Link to the page with all of it. */
  actions?: ReactNode;
  /** Placeholder rows while the content is loading. */
  loadingRows?: number | undefined;
  /** Why nothing is listed: there is nothing, or the viewer may not see it. */
  note?: string | undefined;
  /** Replaces the note, and stands before what could be read. */
  failure?: HomeFailure | undefined;
  children?: ReactNode;
}

/** Card of the home page: its content, or why there is none. */
export function HomeCard({ title, actions, loadingRows, note, failure, children }: HomeCardProps) {
  return (
    <Card title={title} actions={actions}>
      {failure && <Failure {...failure} />}
      {!failure && loadingRows !== undefined && <SkeletonRows rows={loadingRows} />}
      {!failure && loadingRows === undefined && note !== undefined && (
        <CardBody>
          <p className="home-quiet">{note}</p>
        </CardBody>
      )}
      {children}
    </Card>
  );
}

/** Why a part is not shown. The banner of the page explains a service that cannot be reached. */
function Failure({ error, onRetry }: HomeFailure) {
  const { message, ...rest } = toServiceError(error);
  const isBannerShown = isUnreachable(toServiceError(error)) && rest.code !== NO_ANSWER;
  return (
    <CardBody>
      <p className="home-quiet">
        {isBannerShown ? 'Not loaded: the service cannot be reached.' : endSentence(`Not loaded: ${message}`)}
      </p>
      <Button size="small" onClick={onRetry}>
        Try again
      </Button>
    </CardBody>
  );
}

interface StatusRowProps {
  tone: 'ok' | 'warn' | 'bad' | undefined;
  icon: LucideIcon;
  title: ReactNode;
  detail?: string;
  /** What to do about it. */
  action?: ReactNode;
}

/** State, evidence and action of something that is checked; children of a list or alone. */
export function StatusRow({ tone, icon, title, detail, action }: StatusRowProps) {
  return (
    <div className="home-row">
      <Tile icon={icon} tone={tone ?? 'neutral'} />
      <div className="home-text">
        <strong>{title}</strong>
        {detail !== undefined && <p>{detail}</p>}
      </div>
      {action}
    </div>
  );
}
