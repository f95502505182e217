{{/*
Base name of the objects. 42 characters leave room for the longest suffix and for what Kubernetes appends to the name of
a StatefulSet in a label (63 at most); the checksum distinguishes two long names with the same beginning.
*/}}
{{- define "repotide.fullname" -}}
{{- $chart := default .Chart.Name .Values.nameOverride }}
{{- $own := ternary .Release.Name (printf "%s-%s" .Release.Name $chart) (contains $chart .Release.Name) }}
{{- $name := default $own .Values.fullnameOverride }}
{{- if gt (len $name) 42 }}
{{- printf "%s-%s" (trunc 33 $name | trimSuffix "-") (sha256sum $name | trunc 8) }}
{{- else }}
{{- $name }}
{{- end }}
{{- end }}

{{/* "app.kubernetes.io/name" of the service's pods. The trial's and the migration's pods have other names. */}}
{{- define "repotide.name" -}}
{{- default .Chart.Name .Values.nameOverride }}
{{- end }}

{{/* Labels for selectors. None of them changes in an upgrade. */}}
{{- define "repotide.selectorLabels" -}}
app.kubernetes.io/name: {{ include "repotide.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{/* Labels of the service's objects. */}}
{{- define "repotide.labels" -}}
{{- include "repotide.labelsWith" (dict "root" .) }}
{{- end }}

{{/*
Labels of an object. Takes root, own (labels that identify it; default: those of the selectors) and extra. The chart's own
labels win over others with the same key.
*/}}
{{- define "repotide.labelsWith" -}}
{{- $root := .root }}
{{- $versions := dict
  "app.kubernetes.io/version" ($root.Values.image.tag | default $root.Chart.AppVersion | trunc 63 | trimAll "-_.")
  "app.kubernetes.io/managed-by" $root.Release.Service
  "helm.sh/chart" (printf "%s-%s" $root.Chart.Name $root.Chart.Version | replace "+" "_") }}
{{- include "repotide.podLabels" (dict "root" $root "own" .own "versions" $versions "extra" .extra) }}
{{- end }}

{{/* The same for a pod, without versions: a new version of the chart alone must not restart the pods. */}}
{{- define "repotide.podLabels" -}}
{{- $own := merge (dict) (default dict .own) (include "repotide.selectorLabels" .root | fromYaml) }}
{{- $own = merge $own (dict "app.kubernetes.io/part-of" "repotide") (default dict .versions) }}
{{- toYaml (merge $own (default dict .extra) .root.Values.commonLabels) }}
{{- end }}

{{- define "repotide.serviceAccountName" -}}
{{- if .Values.serviceAccount.create }}
{{- default (include "repotide.fullname" .) .Values.serviceAccount.name }}
{{- else }}
{{- default "default" .Values.serviceAccount.name }}
{{- end }}
{{- end }}

{{/* The Deployments of the layout, as JSON: component -> roles. */}}
{{- define "repotide.components" -}}
{{- if eq .Values.layout "split" }}
{{- dict "api" "api" "scheduler" "scheduler" "worker" "worker" | toJson }}
{{- else }}
{{- dict "all" "api,scheduler,worker" | toJson }}
{{- end }}
{{- end }}

{{/* The component whose pods serve HTTP to clients. */}}
{{- define "repotide.apiComponent" -}}
{{- ternary "api" "all" (eq .Values.layout "split") }}
{{- end }}

{{/* Name of a component's Deployment and of the objects that belong to it. Takes root and component. */}}
{{- define "repotide.componentName" -}}
{{- if eq .component "all" }}
{{- include "repotide.fullname" .root }}
{{- else }}
{{- printf "%s-%s" (include "repotide.fullname" .root) .component }}
{{- end }}
{{- end }}
