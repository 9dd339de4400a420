import { createFileRoute } from '@tanstack/react-router';

/** The list alone, without a panel over it. */
export const Route = createFileRoute('/_app/sites/_list/')({});
