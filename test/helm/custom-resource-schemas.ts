// The fields of custom resources that the chart and its examples use, from the reference of each operator.
const text = { type: 'string' };
const texts = { type: 'object', additionalProperties: text };
const metadata = { $ref: 'kubernetes#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' };
const labelSelector = { $ref: 'kubernetes#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector' };
const hpaBehavior = {
  $ref: 'kubernetes#/definitions/io.k8s.api.autoscaling.v2.HorizontalPodAutoscalerBehavior',
};

function strict(properties: object, required: string[] = Object.keys(properties)): object {
  return { type: 'object', additionalProperties: false, properties, required };
}

function resource(spec: object): object {
  return strict({ apiVersion: text, kind: text, metadata, spec });
}

const list = (items: object): object => ({ type: 'array', minItems: 1, items });
const postgresTrigger = strict({
  connectionFromEnv: text,
  query: text,
  targetQueryValue: { type: 'string', pattern: '^[1-9][0-9]*$' },
});

/** By `apiVersion kind`. */
export const customResources: Record<string, object> = {
  'keda.sh/v1alpha1 ScaledObject': resource(
    strict({
      scaleTargetRef: strict({ name: text }),
      minReplicaCount: { type: 'integer' },
      maxReplicaCount: { type: 'integer' },
      advanced: strict({ horizontalPodAutoscalerConfig: strict({ behavior: hpaBehavior }) }),
      triggers: list(strict({ type: { const: 'postgresql' }, metadata: postgresTrigger })),
    }),
  ),
  'monitoring.coreos.com/v1 ServiceMonitor': resource(
    strict({
      selector: labelSelector,
      podTargetLabels: list(text),
      endpoints: list(strict({ port: text, path: text, interval: text })),
    }),
  ),
  'monitoring.coreos.com/v1 PrometheusRule': resource(
    strict({
      groups: list(
        strict(
          {
            name: text,
            interval: text,
            rules: list(
              strict(
                { alert: text, record: text, expr: text, for: text, labels: texts, annotations: texts },
                ['expr'],
              ),
            ),
          },
          ['name', 'rules'],
        ),
      ),
    }),
  ),
  'gateway.networking.k8s.io/v1 HTTPRoute': resource(
    strict({
      parentRefs: list(strict({ name: text, namespace: text })),
      hostnames: list(text),
      rules: list(
        strict({
          matches: list(strict({ path: strict({ type: { const: 'PathPrefix' }, value: text }) })),
          backendRefs: list(strict({ name: text, port: { type: 'integer' } })),
          timeouts: strict({ request: text }),
        }),
      ),
    }),
  ),
  'helm.cattle.io/v1 HelmChart': resource(
    strict(
      {
        ...{ chart: text, chartContent: text, repo: text, version: text, targetNamespace: text },
        ...{ createNamespace: { type: 'boolean' }, valuesContent: text, timeout: text },
        ...{ failurePolicy: { enum: ['reinstall', 'abort'] }, backOffLimit: { type: 'integer' } },
      },
      ['targetNamespace'],
    ),
  ),
  'helm.cattle.io/v1 HelmChartConfig': resource(strict({ valuesContent: text })),
};
