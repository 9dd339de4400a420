import { useQuery } from '@tanstack/react-query';
import { toServiceError } from '../../../api/errors.ts';
import { getFieldQueryKey } from '../../../api/generated/@tanstack/react-query.gen.ts';
import type { Field } from '../../../entries/schema.ts';
import { Panel } from '../../../ui/dialog/Panel.tsx';
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx';
import { SkeletonRows } from '../../../ui/feedback/Skeleton.tsx';
import { FieldEditor } from './-FieldEditor.tsx';
import type { FieldEditorProps } from './-FieldEditor.tsx';
import { readField } from './-read-field.ts';

interface FieldPanelProps extends Omit<FieldEditorProps, 'start'> {
  /** Undefined for a new one. */
  field: Field | undefined;
}

/** Creates a field of a type, or changes one, over the schema. */
export function FieldPanel(props: FieldPanelProps) {
  return props.field ? (
    <Reading {...props} field={props.field} />
  ) : (
    <FieldEditor {...props} start={undefined} />
  );
}

function Reading({ field, ...props }: FieldPanelProps & { field: Field }) {
  const { data, error, refetch, isFetching } = useQuery({
    queryKey: [{ ...getFieldQueryKey({ path: { fieldId: field.id } })[0], tagged: true }],
    queryFn: ({ signal }) => readField(field.id, signal),
    // Newer readings must not move the entity tag under the typing.
    staleTime: Infinity,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
  if (data) return <FieldEditor {...props} start={data} />;
  const failure = error === null ? undefined : toServiceError(error);
  return (
    <Panel title={`Edit ${field.name}`} onClose={() => void props.onClose()}>
      <div className="sch-waiting">
        {failure ? (
          <ErrorState
            title="The field could not be read"
            onRetry={() => void refetch()}
            retrying={isFetching}
            requestId={failure.requestId}
          >
            {failure.message}
          </ErrorState>
        ) : (
          <SkeletonRows rows={8} />
        )}
      </div>
    </Panel>
  );
}
