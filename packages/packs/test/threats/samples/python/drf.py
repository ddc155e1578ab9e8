"""Stand-ins for Django REST framework, where it is not installed, and for Django Channels."""

import asyncio
import importlib.util
import json
import types

from django.http import HttpResponseForbidden, JsonResponse
from django.shortcuts import get_object_or_404
from django.views import View
from django.views.decorators.csrf import csrf_exempt


HAS_REST_FRAMEWORK = importlib.util.find_spec("rest_framework") is not None


class Denied(Exception):
    pass


class IsAuthenticated:
    def has_permission(self, request, view):
        return request.user.is_authenticated

    def has_object_permission(self, request, view, obj):
        return True


class BasePermission(IsAuthenticated):
    def has_permission(self, request, view):
        return True


class APIView(View):
    permission_classes = []
    actions = {}

    @classmethod
    def as_view(cls, actions=None, **options):
        return csrf_exempt(super().as_view(actions=actions or {}, **options))

    def dispatch(self, request, *args, **kwargs):
        request.data = json.loads(request.body or b"{}")
        self.request, self.kwargs = request, kwargs
        try:
            if not all(rule().has_permission(request, self) for rule in self.permission_classes):
                raise Denied()
            method = request.method.lower()
            return getattr(self, self.actions.get(method, method))(request, **kwargs)
        except Denied:
            return HttpResponseForbidden()

    def check_object_permissions(self, request, obj):
        if not all(rule().has_object_permission(request, self, obj) for rule in self.permission_classes):
            raise Denied()


def Response(data, status=200):
    return JsonResponse(data, status=status, safe=False)


class ModelSerializer:
    """Shows and writes what its Meta allows."""

    def __init__(self, instance=None, data=None, partial=False):
        self.instance, self.initial = instance, data

    def names(self):
        every = [field.name for field in self.Meta.model._meta.fields]
        return every if self.Meta.fields == "__all__" else self.Meta.fields

    def is_valid(self, raise_exception=False):
        return True

    def save(self, **more):
        fixed = getattr(self.Meta, "read_only_fields", ())
        given = {name: value for name, value in self.initial.items() if name in self.names() and name not in fixed}
        given = {(f"{name}_id" if isinstance(value, int) and name == "owner" else name): value for name, value in given.items()}
        self.instance = self.instance or self.Meta.model()
        for name, value in {**given, **more}.items():
            setattr(self.instance, name, value)
        self.instance.save()
        return self.instance

    @property
    def data(self):
        shown = {name: getattr(self.instance, name) for name in self.names()}
        return {name: value.pk if hasattr(value, "pk") else value for name, value in shown.items()}


class ModelViewSet(APIView):
    queryset = None

    def get_queryset(self):
        return self.queryset.all()

    def get_object(self):
        found = get_object_or_404(self.get_queryset(), pk=self.kwargs["pk"])
        self.check_object_permissions(self.request, found)
        return found

    def list(self, request):
        return Response([self.serializer_class(row).data for row in self.get_queryset()])

    def retrieve(self, request, pk):
        return Response(self.serializer_class(self.get_object()).data)

    def create(self, request):
        serializer = self.serializer_class(data=request.data)
        self.perform_create(serializer)
        return Response(serializer.data, 201)

    def perform_create(self, serializer):
        serializer.save()


class AsyncWebsocketConsumer:
    """The part of Channels' consumer that a chat needs."""

    async def accept(self):
        self.accepted = True

    async def close(self, code=None):
        self.closed = True

    async def send(self, text_data):
        self.sent.append(text_data)


def play(world, path, messages, headers, user):
    from shop import models

    consumer = world.names["RoomConsumer"]()
    consumer.accepted, consumer.closed, consumer.sent = False, False, []
    consumer.scope = {
        "user": models.User.objects.filter(pk=user).first(),
        "url_route": {"kwargs": {"room": int(path.rsplit("/", 1)[1])}},
        "headers": [(name.lower().encode(), value.encode()) for name, value in headers.items()],
    }

    def run(coroutine):
        asyncio.new_event_loop().run_until_complete(coroutine)

    run(consumer.connect())
    for message in messages:
        if isinstance(message, dict):
            world.sql(message["sql"])
        elif consumer.accepted and not consumer.closed:
            run(consumer.receive(text_data=message))
    return {"accepted": consumer.accepted, "sent": consumer.sent}


def in_this_thread(run):
    async def called(*args):
        return run(*args)

    return called


def modules():
    channels = {
        "channels": {},
        "channels.generic": {},
        "channels.generic.websocket": {"AsyncWebsocketConsumer": AsyncWebsocketConsumer},
        "channels.db": {"database_sync_to_async": in_this_thread},
    }
    if HAS_REST_FRAMEWORK:
        return channels
    return {
        **channels,
        "rest_framework": {
            "viewsets": types.SimpleNamespace(ModelViewSet=ModelViewSet),
            "permissions": types.SimpleNamespace(IsAuthenticated=IsAuthenticated),
            "serializers": types.SimpleNamespace(ModelSerializer=ModelSerializer),
        },
        "rest_framework.permissions": {"BasePermission": BasePermission, "IsAuthenticated": IsAuthenticated},
        "rest_framework.response": {"Response": Response},
        "rest_framework.views": {"APIView": APIView},
    }
