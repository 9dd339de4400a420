/** Exports traces and metrics by OTLP over HTTP with the SDK of OpenTelemetry. Loaded only where an endpoint is set. */
import type { IncomingHttpHeaders } from 'node:http';
import { hostname } from 'node:os';
import {
  type HrTime,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
  ValueType,
} from '@opentelemetry/api';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  AggregationTemporality,
  DataPointType,
  type MetricData,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { type MetricRecord, readMetrics, type InstallationMetrics } from './metrics.ts';
import { parseTraceparent, type RequestSpan, setTracer } from './tracing.ts';

/** Where telemetry goes, and how much of it. */
interface TelemetryOptions {
  /** Base URL of an OTLP receiver; `/v1/traces` and `/v1/metrics` are appended. */
  endpoint: string;
  /** Share of the traces that begin here, from 0 to 1. Those of callers are exported if the caller says so. */
  sampleRatio: number;
  metricIntervalMs?: number;
}

/** The context of the caller, which the span continues. */
function readParent(headers: IncomingHttpHeaders) {
  const caller = parseTraceparent(headers);
  if (!caller) return ROOT_CONTEXT;
  const { traceId, spanId } = caller;
  const traceFlags = caller.flags & TraceFlags.SAMPLED;
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true });
}

/** Starts the export. @returns a function that exports the rest and stops */
export function startTelemetry(
  { endpoint, sampleRatio, metricIntervalMs = 60_000 }: TelemetryOptions,
  loadMetrics: () => Promise<InstallationMetrics>,
): { stop: () => Promise<void> } {
  const base = endpoint.replace(/\/+$/, '');
  const resource = resourceFromAttributes({
    'service.name': 'steward',
    'service.instance.id': `${hostname()}:${process.pid}`,
    'host.name': hostname(),
  });
  const provider = new TracerProvider({
    resource,
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(sampleRatio) }),
    spanProcessors: [
      new BatchSpanProcessor({ exporter: new OTLPTraceExporter({ url: `${base}/v1/traces` }) }),
    ],
  });
  const tracer = provider.getTracer('steward');
  const startedAt = toHrTime(Date.now());
  const reader = new PeriodicExportingMetricReader({
    exporter: new OTLPMetricExporter({ url: `${base}/v1/metrics` }),
    exportIntervalMillis: metricIntervalMs,
    exportTimeoutMillis: Math.min(metricIntervalMs, 30_000),
    metricProducers: [
      {
        async collect() {
          const metrics = (await readMetrics(loadMetrics)).map((each) => toMetricData(each, startedAt));
          return {
            resourceMetrics: { resource, scopeMetrics: [{ scope: { name: 'steward' }, metrics }] },
            errors: [],
          };
        },
      },
    ],
  });
  const meterProvider = new MeterProvider({ resource, readers: [reader] });
  setTracer({
    startRequest: (headers) => {
      const span = tracer.startSpan('request', { kind: SpanKind.SERVER }, readParent(headers));
      return toRequestSpan(span, (name, attributes) =>
        tracer.startSpan(name, { kind: SpanKind.CLIENT, attributes }, trace.setSpan(ROOT_CONTEXT, span)),
      );
    },
  });
  return {
    async stop() {
      setTracer(undefined);
      // A receiver that does not answer must not fail the stop.
      await Promise.allSettled([provider.shutdown(), meterProvider.shutdown()]);
    },
  };
}

type StartChild = (name: string, attributes: Readonly<Record<string, string | number>>) => Span;

function toRequestSpan(span: Span, startChild: StartChild): RequestSpan {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return {
    traceId,
    traceparent: `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`,
    startChild(name, attributes) {
      const child = startChild(name, attributes);
      return (error) => {
        if (error !== undefined) child.setStatus({ code: SpanStatusCode.ERROR });
        child.end();
      };
    },
    end({ name, attributes, isFailed }) {
      span.updateName(name).setAttributes(attributes);
      if (isFailed) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    },
  };
}

const toHrTime = (ms: number): HrTime => [Math.floor(ms / 1_000), Math.round((ms % 1_000) * 1e6)];

/** A metric of the Prometheus registry in the form of the SDK. */
function toMetricData({ name, help, type, values }: MetricRecord, startTime: HrTime): MetricData {
  const times = { startTime, endTime: toHrTime(Date.now()) };
  const shared = {
    descriptor: { name, description: help, unit: '', valueType: ValueType.DOUBLE },
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
  };
  if (type === 'histogram')
    return { ...shared, dataPointType: DataPointType.HISTOGRAM, dataPoints: toHistograms(values, times) };
  const dataPoints = values.map(({ labels, value }) => ({ ...times, attributes: labels, value }));
  return type === 'counter'
    ? { ...shared, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints }
    : { ...shared, dataPointType: DataPointType.GAUGE, dataPoints };
}

/** Prometheus has one value for each upper bound, which counts all observations below it; OTLP counts those between two bounds. */
function toHistograms(values: MetricRecord['values'], times: { startTime: HrTime; endTime: HrTime }) {
  const groups = Map.groupBy(values, ({ labels: { le: _bound, ...labels } }) => JSON.stringify(labels));
  return [...groups.values()].map((group) => {
    const find = (suffix: string): number => group.find(({ part }) => part?.endsWith(suffix))?.value ?? 0;
    const buckets = group.filter(({ part }) => part?.endsWith('_bucket'));
    const { le: _bound, ...attributes } = group[0]?.labels ?? {};
    const counts = buckets.map(({ value }, at) => value - (buckets[at - 1]?.value ?? 0));
    const boundaries = buckets.map(({ labels }) => Number(labels['le'])).filter(Number.isFinite);
    return {
      ...times,
      attributes,
      value: { buckets: { boundaries, counts }, sum: find('_sum'), count: find('_count') },
    };
  });
}
