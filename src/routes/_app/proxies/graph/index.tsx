import { createFileRoute } from '@tanstack/react-router';

/** The graph alone, without a panel over it. */
export const Route = createFileRoute('/_app/proxies/graph/')({});
