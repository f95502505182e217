{{/* A setting as text. Helm stores numbers as floats and would write 1048576 as 1.048576e+06. */}}
{{- define "repotide.text" -}}
{{- if kindIs "float64" . }}{{ int64 . }}{{ else }}{{ . }}{{ end }}
{{- end }}

{{/* The port of the API; null stands for the default of the service. */}}
{{- define "repotide.port" -}}
{{- int64 (default 3000 .Values.config.PORT) }}
{{- end }}

{{/* The port of the metrics, which no Ingress publishes. */}}
{{- define "repotide.metricsPort" -}}
{{- int64 (default 9464 .Values.config.METRICS_PORT) }}
{{- end }}

{{/* Data of the ConfigMap. Only null is left out, because 0 and false are settings too. */}}
{{- define "repotide.config" -}}
METRICS_PORT: {{ include "repotide.metricsPort" . | quote }}
{{- range $name, $value := omit .Values.config "METRICS_PORT" "resources" }}
{{- if not (kindIs "invalid" $value) }}
{{ $name }}: {{ include "repotide.text" $value | quote }}
{{- end }}
{{- end }}
{{- if .Values.config.resources }}
DECLARED_RESOURCES: /etc/repotide/resources
{{- end }}
{{- if and .Values.trial.enabled (not (hasKey .Values.config "QDRANT_URL")) }}
QDRANT_URL: {{ printf "http://%s-qdrant:6333" (include "repotide.fullname" .) }}
{{- end }}
{{- end }}

{{/* Data of the Secret that the chart creates; empty when it creates none. */}}
{{- define "repotide.secretData" -}}
{{- $secrets := deepCopy .Values.secrets.values }}
{{- if .Values.trial.enabled }}
{{- $name := include "repotide.fullname" . }}
{{- $password := .Values.trial.password }}
{{- $trial := dict
  "DATABASE_URL" (printf "postgres://repotide:%s@%s-postgres:5432/repotide" $password $name)
  "REDIS_URL" (printf "redis://:%s@%s-redis:6379/0" $password $name)
  "QDRANT_API_KEY" $password }}
{{- $secrets = merge $secrets $trial }}
{{- end }}
{{- range $name, $value := $secrets }}
{{ $name }}: {{ $value | quote }}
{{- end }}
{{- end }}

{{/* envFrom of a container. Takes root and name, the name of the chart's own ConfigMap and Secret. */}}
{{- define "repotide.envFrom" -}}
- configMapRef:
    name: {{ .name }}
{{- with .root.Values.secrets.existingSecret }}
- secretRef:
    name: {{ . }}
{{- end }}
{{- if include "repotide.secretData" .root }}
- secretRef:
    name: {{ .name }}-values
{{- end }}
{{- end }}

{{- define "repotide.env" -}}
{{- with .roles }}
- name: REPOTIDE_ROLES
  value: {{ . }}
{{- end }}
- name: REPOTIDE_DATA_DIR
  value: /tmp/repotide
- name: POD_NAME
  valueFrom:
    fieldRef:
      fieldPath: metadata.name
{{- if and .roles .root.Values.podWatch.enabled }}
- name: POD_NAMESPACE
  valueFrom:
    fieldRef:
      fieldPath: metadata.namespace
{{- end }}
{{- range $server, $secret := .root.Values.clientCertificates }}
{{- if $secret }}
- name: {{ upper $server }}_TLS_DIR
  value: /etc/repotide/tls/{{ $server }}
{{- end }}
{{- end }}
{{- range $name, $source := .root.Values.secrets.from }}
- name: {{ $name }}
  valueFrom:
    secretKeyRef:
      name: {{ $source.name }}
      key: {{ $source.key }}
{{- end }}
{{- with .root.Values.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end }}
