import { createFileRoute } from '@tanstack/react-router';

/** The graph without a panel. */
export const Route = createFileRoute('/_app/proxies/graph/')({});
