"""Stand-ins for Django and its REST framework, and how each sample is attacked and used."""

import types

from world import Query, model

CHECKS = {}


def check(key):
    return lambda run: CHECKS.__setitem__(key, run)


class Denied(Exception):
    pass


class Missing(Exception):
    pass


def get_object_or_404(source, pk):
    rows = source if isinstance(source, Query) else Query(source)
    found = rows.filter(id=pk).first()
    if found is None:
        raise Missing()
    return found


class APIView:
    permission_classes = []

    def check_permissions(self, request):
        if not all(rule().has_permission(request, self) for rule in self.permission_classes):
            raise Denied()

    def check_object_permissions(self, request, obj):
        if not all(rule().has_object_permission(request, self, obj) for rule in self.permission_classes):
            raise Denied()

    @classmethod
    def call(cls, action, request, **path):
        """What the action returns; None if it was refused."""
        view = cls()
        view.request, view.kwargs = request, path
        try:
            view.check_permissions(request)
            return getattr(view, action)(request, **path)
        except (Denied, Missing):
            return None


class ModelViewSet(APIView):
    queryset = None

    def get_queryset(self):
        return self.queryset.all()

    def get_object(self):
        found = get_object_or_404(self.get_queryset(), self.kwargs["pk"])
        self.check_object_permissions(self.request, found)
        return found

    def list(self, request):
        return [row.id for row in self.get_queryset()]

    def retrieve(self, request, pk):
        return self.get_object().id

    def create(self, request):
        serializer = self.serializer_class()
        self.perform_create(serializer)
        return serializer.saved

    def perform_create(self, serializer):
        serializer.save()


class BasePermission:
    def has_permission(self, request, view):
        return True

    def has_object_permission(self, request, view, obj):
        return True


class IsAuthenticated(BasePermission):
    def has_permission(self, request, view):
        return request.user is not None


class IsOwner(BasePermission):
    def has_object_permission(self, request, view, obj):
        return obj.owner == request.user


class ModelSerializer:
    """Writes what its Meta allows onto the instance."""

    def __init__(self, instance, data):
        self.instance, self.data = instance, data

    def save(self):
        fields, fixed = self.Meta.fields, getattr(self.Meta, "read_only_fields", [])
        for name, value in self.data.items():
            if (fields == "__all__" or name in fields) and name not in fixed:
                setattr(self.instance, name, value)


class View:
    @classmethod
    def as_view(cls):
        return lambda request: cls().dispatch(request)

    def dispatch(self, request):
        return getattr(self, request.method.lower())(request)


class PermissionRequiredMixin:
    raise_exception = False

    def dispatch(self, request):
        if not request.user.has_perm(self.permission_required):
            return types.SimpleNamespace(status_code=403 if self.raise_exception else 302)
        return super().dispatch(request)


class JsonResponse:
    status_code = 200

    def __init__(self, data):
        self.data = data


def action(description=None, permissions=None):
    def mark(run):
        if permissions is not None:
            run.allowed_permissions = permissions
        return run

    return mark


class ModelAdmin:
    """Offers an action to those who have one of its permissions; to everyone if it names none."""

    actions = []

    def __init__(self, rights):
        self.rights = rights

    def offered(self):
        wanted = lambda run: getattr(run, "allowed_permissions", None)
        return [run for run in self.actions if wanted(run) is None or self.rights & set(wanted(run))]


def prepared(w):
    permissions = dict(BasePermission=BasePermission, IsAuthenticated=IsAuthenticated)
    rules = w.add("rest_framework.permissions", **permissions)
    sets = w.add("rest_framework.viewsets", ModelViewSet=ModelViewSet)
    forms = w.add("rest_framework.serializers", ModelSerializer=ModelSerializer)
    w.add("rest_framework.views", APIView=APIView)
    w.add("rest_framework.response", Response=lambda data: data)
    w.modules["rest_framework"].__dict__.update(permissions=rules, viewsets=sets, serializers=forms)
    w.add("django.shortcuts", get_object_or_404=get_object_or_404)
    w.add("django.http", JsonResponse=JsonResponse)
    w.add("django.views", View=View)
    w.add("django.contrib.auth.mixins", PermissionRequiredMixin=PermissionRequiredMixin)
    admin = w.add("django.contrib.admin", ModelAdmin=ModelAdmin, action=action)
    w.modules["django.contrib"].admin = admin


def request(user, method="GET", **data):
    return types.SimpleNamespace(user=user, method=method, data=data)


@check("MIT-017a")
def _(w):
    prepared(w)
    saved = lambda self, **more: setattr(self, "saved", more)
    w.add("notes.models", Note=model("Note", [{"id": 1, "owner": "ann"}, {"id": 2, "owner": "bob"}]))
    w.add("notes.serializers", NoteSerializer=type("NoteSerializer", (), {"save": saved}))
    view = w.run()["NoteViewSet"]
    listed = view.call("list", request("ann"))
    attack = 2 in listed or view.call("retrieve", request("ann"), pk=2) is not None
    return attack, 1 in listed and view.call("retrieve", request("ann"), pk=1) == 1


@check("MIT-018a")
def _(w):
    prepared(w)
    listings = model("Listing", [{"id": 1, "owner": "ann", "price": 5}, {"id": 2, "owner": "bob", "price": 5}])
    w.add("shop.models", Listing=listings)
    w.add("shop.permissions", IsOwner=IsOwner)
    view = w.run()["ListingView"]
    for pk in (1, 2):
        view.call("patch", request("ann", price=1), pk=pk)
    return listings.rows[1].price == 1, listings.rows[0].price == 1


@check("MIT-019a")
def _(w):
    prepared(w)
    profiles = model("Profile", [{"id": 1, "name": "a", "bio": "", "is_staff": False}])
    w.add("people.models", Profile=profiles)
    row = profiles.rows[0]
    w.run()["ProfileSerializer"](row, {"name": "b", "is_staff": True}).save()
    return row.is_staff, row.name == "b"


@check("MIT-020a")
def _(w):
    prepared(w)
    view = w.run()["Payroll"].as_view()
    user = lambda *rights: types.SimpleNamespace(has_perm=lambda right: right in rights)
    status = lambda *rights: view(request(user(*rights))).status_code
    return status() == 200, status("staff.view_payroll") == 200


@check("MIT-021a")
def _(w):
    prepared(w)
    admin = w.run()["AccountAdmin"]
    accounts = model("Account", [{"id": 1, "closed": False}])
    attack = len(admin({"view"}).offered()) > 0
    for run in admin({"change"}).offered():
        run(None, None, accounts.objects)
    return attack, accounts.rows[0].closed
